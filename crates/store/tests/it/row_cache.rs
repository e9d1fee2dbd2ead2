//! A transaction reads a row once, until it changes something.

use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, agents, confirmations, executions};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named};

use crate::help::{add_agent, agent};

#[both_databases]
async fn a_change_is_read(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Scout");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();
    let read = db.write::<_, StoreError, _>(world.workspace, move |tx| {
        Box::pin(async move {
            let mut read = agents::get(tx, row.id).await?.unwrap();
            read.model = "another".into();
            assert!(agents::update(tx, &read).await?);
            let by_id = agents::get(tx, row.id).await?.unwrap();
            let by_name = agents::by_name(tx, "scout").await?.unwrap();
            assert!(!agents::update(tx, &read).await?, "a version was updated twice");
            agents::delete(tx, row.id).await?;
            Ok([(by_id.model, by_id.version), (by_name.model, by_name.version), {
                let gone = agents::get(tx, row.id).await?;
                (gone.is_none().to_string(), 0)
            }])
        })
    });
    let wanted =
        [("another", 2), ("another", 2), ("true", 0)].map(|(text, version)| (text.to_owned(), version));
    assert_eq!(read.await.unwrap(), wanted);
}

#[both_databases]
async fn a_rollback_forgets_what_was_read(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Scout");
    let read = db.write::<_, StoreError, _>(world.workspace, move |tx| {
        Box::pin(async move {
            agents::insert(tx, &row).await?;
            let before = agents::get(tx, row.id).await?;
            tx.rollback().await?;
            Ok((before.is_some(), agents::get(tx, row.id).await?.is_some()))
        })
    });
    assert_eq!(read.await.unwrap(), (true, false));
}

/// SQLite's writer has one connection for the jobs of all workspaces.
#[both_databases]
async fn a_transaction_does_not_know_what_the_one_before_has_read(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let row = agent(&ids, "Scout");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();
    for (workspace, is_found) in [(world.workspace, true), (other.workspace, false), (world.workspace, true)]
    {
        let read = db.write::<_, StoreError, _>(workspace, move |tx| {
            Box::pin(async move { Ok(agents::get(tx, row.id).await?.is_some()) })
        });
        assert_eq!(read.await.unwrap(), is_found, "an agent of another workspace");
    }
}

/// What another transaction commits is not read until this one has changed or locked something. Then it is.
#[tokio::test]
async fn a_lock_ends_the_cache_on_postgres() {
    let db = toolcrib_testkit::postgres().await;
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    for lock in ["agent", "execution", "confirmation"] {
        let row = agent(&ids, lock);
        add_agent(&db, world.workspace, row.clone()).await.unwrap();
        let seen = seen_around_a_lock(&db, world.workspace, row.id, lock).await;
        assert_eq!(seen.unwrap(), [None, None, Some(NOW.as_micros())], "{lock}");
    }
}

/// Returns when the agent of this name was active, as read before and after another transaction changes it,
/// and after a lock.
async fn seen_around_a_lock(
    db: &Db,
    workspace: Id,
    id: Id,
    lock: &'static str,
) -> Result<Vec<Option<i64>>, StoreError> {
    let other = db.clone();
    db.write(workspace, move |tx| {
        Box::pin(async move {
            let mut seen = vec![agents::by_name(tx, lock).await?.unwrap().last_active_at];
            let active = other.write::<_, StoreError, _>(workspace, move |tx| {
                Box::pin(async move { agents::set_last_active(tx, id, NOW).await })
            });
            active.await?;
            seen.push(agents::get(tx, id).await?.unwrap().last_active_at);
            match lock {
                "agent" => drop(agents::hold(tx, &[id]).await?),
                "execution" => drop(executions::lock(tx, id).await?),
                _ => drop(confirmations::lock(tx, id).await?),
            }
            seen.push(agents::get(tx, id).await?.unwrap().last_active_at);
            Ok(seen)
        })
    })
    .await
}
