//! Polls of the outbox: which events they find, which streams they wake, and when polling stops.

use toolcrib_store::EventRow;
use toolcrib_testkit::{NOW, TestDb, sqlite, write};

use super::*;

const A: Id = Id::from_u128(1);
const B: Id = Id::from_u128(2);

/// Inserts `count` events of a workspace in one commit, with ids from `from` on.
async fn tell(db: &TestDb, workspace_id: Id, from: u128, count: u128) {
    let row = move |n| EventRow {
        workspace_id,
        id: Id::from_u128(n),
        name: "thing.made".to_owned(),
        kind: "domain",
        session: None,
        user_id: None,
        permission: None,
        data: serde_json::json!({}),
        occurred_at: NOW,
    };
    write::<_, StoreError>(db, workspace_id, async |tx| {
        for n in from..from + count {
            tx.event(row(n));
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// Polls once.
async fn poll(tail: &OutboxTail, db: &TestDb, offset: Option<i64>) -> Option<i64> {
    tokio::time::timeout(Duration::from_secs(10), tail.poll(db, offset)).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_wakes_each_workspace_in_which_something_happened_once() {
    let (db, tail) = (sqlite().await, OutboxTail::default());
    let mut woken = tail.wake.subscribe();
    tell(&db, A, 0, 1).await;
    assert_eq!(poll(&tail, &db, None).await, Some(1));
    assert_eq!((woken.try_recv(), woken.len()), (Ok(None), 0), "nobody knows what was there before");
    tell(&db, B, 0, 2).await;
    tell(&db, A, 1, 1).await;
    assert_eq!(poll(&tail, &db, Some(1)).await, Some(4));
    assert_eq!((woken.try_recv(), woken.try_recv(), woken.len()), (Ok(Some(A)), Ok(Some(B)), 0));
    assert_eq!(poll(&tail, &db, Some(4)).await, Some(4));
    assert_eq!(woken.len(), 0, "nothing happened");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_finds_more_than_one_query_takes() {
    let (db, tail) = (sqlite().await, OutboxTail::default());
    tell(&db, A, 0, 2_001).await;
    assert_eq!(poll(&tail, &db, Some(0)).await, Some(2_001));
}

#[test]
fn where_nobody_listens_any_more_the_next_listener_begins_anew() {
    let tail = OutboxTail::default();
    let running = || *tail.running.lock();
    *tail.running.lock() = true;
    let (one, other) = (tail.wake.subscribe(), tail.wake.subscribe());
    assert!(!tail.idle() && running());
    drop(one);
    assert!(!tail.idle() && running(), "one still listens");
    drop(other);
    assert!(tail.idle() && !running());
}
