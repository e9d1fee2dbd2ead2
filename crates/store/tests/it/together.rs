//! Writes that ask nothing but what they asked ahead: on PostgreSQL they share commits.

use std::time::Duration;

use futures_util::future::join_all;
use toolcrib_model::Id;
use toolcrib_store::{
    ActorIds, AuditRow, Db, StoreError,
    agents::{self, AgentRow},
};
use toolcrib_testkit::{NOW, TestIds, both_databases, clock, seed, seed_named};

use crate::help::{agent, agent_names, audit_entry, audit_row};

/// What a write does when it has added its row.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    Commit,
    Ask,
    Undo,
    AskAndUndo,
    Fail,
}

/// Adds an agent with its audit row, in a write that said it asks nothing but what it asked ahead.
async fn add_only(
    db: &Db,
    place: Id,
    row: AgentRow,
    audited: AuditRow,
    then: Then,
) -> Result<(), StoreError> {
    let ahead = agents::ahead(&row.name).map(agents::Ahead::only);
    let job = toolcrib_store::write_job(move |tx, access| {
        Box::pin(async move {
            assert!(access.is_some());
            assert!(agents::ground(tx, &row.name).await?.is_some());
            agents::insert_late(tx, &row).await?;
            if matches!(then, Then::Ask | Then::AskAndUndo) {
                assert!(agents::names(tx).await?.contains(&row.name));
            }
            if matches!(then, Then::Undo | Then::AskAndUndo) {
                tx.rollback().await?;
            }
            tx.audit(audited);
            if then == Then::Fail { Err(StoreError::Inconsistent("on purpose".into())) } else { Ok(()) }
        })
    });
    db.write_ahead(place, ActorIds::default(), ahead, Duration::from_mins(1), job).await
}

both_databases! {
    async fn writes_that_ask_nothing_else_are_kept_whole_whoever_they_share_a_commit_with(db: TestDb) {
        let ids = TestIds::default();
        let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
        // Two of each name, of which one is refused; in both workspaces, at once.
        let writes = (0..64).map(|n| {
            let (db, place) = (db.clone(), if n % 4 < 2 { world.workspace } else { other.workspace });
            let (row, mut audited) = (agent(&ids, &format!("agent-{:02}", n / 4)), audit_row(&ids, place, NOW));
            audited.id = row.id;
            tokio::spawn(async move {
                let id = row.id;
                (place, id, add_only(&db, place, row, audited, Then::Commit).await)
            })
        });
        let mut kept = 0;
        for done in join_all(writes).await {
            let (place, id, added) = done.unwrap();
            let stands = audit_entry(&db, place, id).await.is_some();
            match added {
                Ok(()) => kept += usize::from(stands),
                Err(StoreError::Duplicate) => assert!(!stands),
                Err(fault) => panic!("{fault}"),
            }
        }
        assert_eq!(kept, 32);
        for place in [world.workspace, other.workspace] {
            assert_eq!(agent_names(&db, place).await.len(), 16);
        }
    }

    async fn a_write_that_asks_after_all_or_changes_its_mind_is_like_any_other(db: TestDb) {
        let ids = TestIds::default();
        let place = seed(&db, &clock(), &ids).await.workspace;
        for (name, then, kept, audited) in [
            ("Asks", Then::Ask, true, true),
            ("Undone", Then::Undo, false, true),
            ("Asks and undone", Then::AskAndUndo, false, true),
            ("Fails", Then::Fail, false, false),
        ] {
            let (row, entry) = (agent(&ids, name), audit_row(&ids, place, NOW));
            let id = entry.id;
            let done = add_only(&db, place, row, entry, then).await;
            assert_eq!(done.is_ok(), audited, "{name}: {done:?}");
            assert_eq!(agent_names(&db, place).await.iter().any(|there| there == name), kept, "{name}");
            assert_eq!(audit_entry(&db, place, id).await.is_some(), audited, "{name}");
        }
    }
}
