//! Retention removes old rows, but none that is still needed.

use toolcrib_model::{Id, IdGen, NotificationKind, Ts};
use toolcrib_store::{
    Db, EventRow, StoreError, WriteTx, events,
    notifications::{self, Audience, NotificationRow, Reader},
    retention,
    webhooks::{
        self, WebhookRow, deliveries,
        worker::{self, DeliveryOutcome, NewDelivery},
    },
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, write};

use crate::help::audit_row;

const MINE: Id = Id::from_u128(0xa);

fn event(ids: &TestIds, name: &str, at: Ts) -> EventRow {
    EventRow {
        workspace_id: MINE,
        id: ids.new_id(at),
        name: name.into(),
        kind: "domain",
        session: None,
        user_id: None,
        permission: None,
        data: serde_json::json!({}),
        occurred_at: at,
    }
}

async fn add(db: &Db, row: EventRow) {
    write::<_, StoreError>(db, MINE, async |tx| {
        tx.event(row);
        Ok(())
    })
    .await
    .unwrap();
    events::assign_offsets(db).await.unwrap();
}

async fn as_worker<T>(db: &Db, work: impl AsyncFnOnce(&mut WriteTx) -> Result<T, StoreError>) -> T {
    let mut tx = db.begin_write_as_worker().await.unwrap();
    let done = work(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    done
}

async fn after(db: &Db, offset: i64) -> Vec<(String, i64)> {
    let mut tx = db.read(MINE).await.unwrap();
    let found = events::after(&mut tx, offset, 100).await.unwrap();
    tx.end().await.unwrap();
    found.into_iter().map(|row| (row.name, row.offset)).collect()
}

#[both_databases]
async fn old_events_are_removed_and_offsets_continue(db: TestDb) {
    let ids = TestIds::default();
    for (name, days) in [("a", -40), ("b", -31), ("c", -30), ("d", -29)] {
        add(&db, event(&ids, name, NOW.plus_days(days))).await;
    }
    let before = NOW.plus_days(-30);
    assert_eq!(as_worker(&db, async |tx| retention::events(tx, before).await).await, 2);
    assert_eq!(as_worker(&db, async |tx| retention::events(tx, before).await).await, 0);
    let left = after(&db, 0).await;
    assert_eq!(left.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["c", "d"]);
    // Even if all events are old, the last one stays, so that a reader who has read up to it misses no later
    // event.
    let last = left[1].1;
    let all = NOW.plus_days(1);
    as_worker(&db, async |tx| retention::events(tx, all).await).await;
    assert_eq!(after(&db, 0).await.len(), 1);
    add(&db, event(&ids, "e", NOW)).await;
    assert_eq!(after(&db, last).await.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["e"]);
}

#[both_databases]
async fn old_notifications_are_removed_with_their_read_marks(db: TestDb) {
    let reader = Reader { id: Id::from_u128(7), admin: true };
    let row = |n: u128, at: Ts| NotificationRow {
        id: Id::from_u128(n),
        kind: NotificationKind::Action,
        audience: if n == 1 { Audience::Admins { except: None } } else { Audience::One(reader.id) },
        title: "t".into(),
        body: "b".into(),
        data: "{}".into(),
        call_id: None,
        confirmation_id: None,
        created_at: at,
    };
    let rows = [row(1, NOW.plus_days(-40)), row(2, NOW)];
    write::<_, StoreError>(&db, MINE, async |tx| {
        for row in &rows {
            notifications::insert(tx, row).await?;
            notifications::mark(tx, reader, row.id, NOW).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
    let before = NOW.plus_days(-30);
    assert_eq!(as_worker(&db, async |tx| retention::notifications(tx, before).await).await, 1);
    let mut tx = db.read(MINE).await.unwrap();
    let left = notifications::list(&mut tx, reader, Some(false), NOW, toolcrib_model::Cursor::START, 10)
        .await
        .unwrap();
    tx.end().await.unwrap();
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [Id::from_u128(2)]);
}

#[both_databases]
async fn finished_deliveries_are_removed(db: TestDb) {
    let hook = WebhookRow {
        id: Id::from_u128(1),
        format: "standard".into(),
        url: "https://x.example/".into(),
        receiver: None,
        types: Vec::new(),
        enabled: true,
        offset: 0,
        since: NOW,
        previous_until: None,
        created_by: None,
        created_at: NOW,
        updated_at: NOW,
    };
    write(&db, MINE, async |tx| webhooks::insert(tx, &hook, "sealed").await).await.unwrap();
    let old = NOW.plus_days(-40);
    as_worker(&db, async |tx| {
        tx.switch_workspace(MINE).await?;
        for n in 1..=3_u128 {
            let (id, event_id) = (Id::from_u128(n), Id::from_u128(n + 10));
            let row = NewDelivery {
                id,
                webhook_id: Id::from_u128(1),
                event_id,
                event_name: "a.b",
                body: "{}",
                at: old,
            };
            worker::insert_delivery(tx, &row).await?;
            worker::insert_delivery(tx, &NewDelivery { id: Id::from_u128(n + 100), ..row }).await?;
        }
        let taken = worker::claim(tx, Id::from_u128(1), old, old.plus_seconds(60), 10).await?;
        assert_eq!(taken.len(), 3, "one event is one delivery");
        let over = DeliveryOutcome { status: "delivered", answered: Some(200), problem: None, next_at: None };
        assert!(worker::store_outcome(tx, &taken[0], &over, old).await?);
        assert!(!worker::store_outcome(tx, &taken[0], &over, old).await?, "once");
        let dead = DeliveryOutcome { status: "dead", ..over.clone() };
        worker::store_outcome(tx, &taken[1], &dead, NOW).await
    })
    .await;
    let before = NOW.plus_days(-30);
    assert_eq!(as_worker(&db, async |tx| retention::deliveries(tx, before).await).await, 1);
    let mut tx = db.read(MINE).await.unwrap();
    let left =
        deliveries::list(&mut tx, Id::from_u128(1), None, toolcrib_model::Cursor::START, 10).await.unwrap();
    tx.end().await.unwrap();
    let mut left: Vec<_> = left.into_iter().map(|row| row.status).collect();
    left.sort();
    assert_eq!(left, ["dead", "pending"]);
}

#[both_databases]
async fn audit_rows_and_their_events_are_one_commit(db: TestDb) {
    let ids = TestIds::default();
    let row = audit_row(&ids, MINE, NOW);
    db.audit_with_events(vec![row.clone()], vec![event(&ids, "told", NOW)]).await.unwrap();
    events::assign_offsets(&db).await.unwrap();
    assert_eq!(after(&db, 0).await.len(), 1);
    // The audit row exists already, so the second event is not written either.
    db.audit_with_events(vec![row], vec![event(&ids, "again", NOW)]).await.unwrap_err();
    events::assign_offsets(&db).await.unwrap();
    assert_eq!(after(&db, 0).await.len(), 1);
}
