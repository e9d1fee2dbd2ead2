//! Transactions: what a job leaves behind, and that other jobs keep their changes if one fails.

use std::{future::pending, time::Duration};

use futures_util::{FutureExt as _, future::join_all};
use toolcrib_model::Id;
use toolcrib_store::{ActorIds, Db, StoreError, WriteTx, agents, health};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named};

use crate::help::{add_agent, agent, agent_names, audit_entry, audit_row};

/// Longer than any job here takes.
const LONG: Duration = Duration::from_mins(1);

#[both_databases]
async fn the_database_refuses_writes_in_a_read(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let mut tx = db.read(world.workspace).await.unwrap();
    let refused = health::attempt_write(&mut tx).await;
    assert!(matches!(refused, Err(StoreError::Statement(_))), "{refused:?}");
    drop(tx);
    let (mut tx, _) = db.read_with_access(world.workspace, ActorIds::default()).await.unwrap();
    assert!(health::attempt_write(&mut tx).await.is_err());
    drop(tx);
    // The same statement succeeds in a write, so the read was refused because it is a read.
    let done: Result<(), StoreError> =
        db.write(world.workspace, |tx| Box::pin(async move { health::attempt_write(tx).await })).await;
    done.unwrap();
}

#[both_databases]
async fn a_rollback_removes_the_changes_but_not_the_audit_row(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, first, audited) =
        (agent(&ids, "Scout"), agent(&ids, "First"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let done: Result<(), StoreError> = db
        .write(world.workspace, move |tx| {
            Box::pin(async move {
                agents::insert(tx, &first).await?;
                // A rollback works after a failed statement too.
                assert!(matches!(agents::insert(tx, &first).await, Err(StoreError::Duplicate)));
                tx.rollback().await?;
                assert!(agents::names(tx).await?.is_empty());
                agents::insert(tx, &row).await?;
                tx.rollback().await?;
                tx.audit(audited);
                Ok(())
            })
        })
        .await;
    done.unwrap();
    assert!(agent_names(&db, world.workspace).await.is_empty());
    assert!(audit_entry(&db, world.workspace, audit_id).await.is_some());
}

#[both_databases]
async fn a_row_belongs_to_the_workspace_that_the_transaction_is_in(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let [first, second, third] = ["First", "Second", "Third"].map(|name| agent(&ids, name));
    let (here, elsewhere) = (world.workspace, other.workspace);
    let done: Result<(), StoreError> = db
        .write(here, move |tx| {
            Box::pin(async move {
                tx.switch_workspace(elsewhere).await?;
                agents::insert(tx, &first).await?;
                tx.rollback().await?;
                assert_eq!(tx.workspace(), here);
                agents::insert(tx, &second).await?;
                tx.switch_workspace(elsewhere).await?;
                agents::insert(tx, &third).await
            })
        })
        .await;
    done.unwrap();
    assert_eq!(agent_names(&db, here).await, ["Second"]);
    assert_eq!(agent_names(&db, elsewhere).await, ["Third"]);
}

#[both_databases]
async fn a_failed_job_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let failed: Result<(), StoreError> = db
        .write(world.workspace, move |tx| {
            Box::pin(async move {
                agents::insert(tx, &row).await?;
                tx.audit(audited);
                Err(StoreError::Inconsistent("on purpose".into()))
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::Inconsistent(why)) if why == "on purpose"));
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn a_panicking_job_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let failed: Result<(), StoreError> = db
        .write(world.workspace, move |tx| {
            Box::pin(async move {
                agents::insert(tx, &row).await?;
                tx.audit(audited);
                panic!("on purpose");
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::Inconsistent(_))), "{failed:?}");
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn a_job_over_its_limit_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let limit = Duration::from_millis(200);
    let nobody = ActorIds::default();
    let failed: Result<(), StoreError> = db
        .write_with_access(world.workspace, nobody, limit, move |tx, _| {
            Box::pin(async move {
                agents::insert(tx, &row).await?;
                tx.audit(audited);
                pending().await
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::Timeout)), "{failed:?}");
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn sixty_four_writers_at_once_all_succeed(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let audited = audit_row(&ids, world.workspace, NOW);
    let writes = (0..64).map(|n| {
        let (db, row, mut audited) = (db.clone(), agent(&ids, &format!("agent-{n:02}")), audited.clone());
        audited.id = row.id;
        tokio::spawn(async move {
            let nobody = ActorIds::default();
            db.write_with_access(world.workspace, nobody, LONG, move |tx, access| {
                Box::pin(async move {
                    assert!(access.is_some());
                    agents::insert(tx, &row).await?;
                    tx.audit(audited);
                    Ok::<_, StoreError>(row.id)
                })
            })
            .await
        })
    });
    for written in join_all(writes).await {
        let id = written.unwrap().unwrap();
        assert!(audit_entry(&db, world.workspace, id).await.is_some());
    }
    assert_eq!(agent_names(&db, world.workspace).await.len(), 64);
}

#[both_databases]
async fn failed_jobs_do_not_affect_concurrent_ones_of_another_workspace(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let mut jobs = Vec::new();
    for n in 0..20 {
        jobs.push(one_of_many(db.clone(), world.workspace, agent(&ids, &format!("a{n}")), true));
        jobs.push(one_of_many(db.clone(), other.workspace, agent(&ids, &format!("b{n}")), false));
    }
    let kept = join_all(jobs).await.into_iter().flatten().count();
    assert_eq!(kept, 20);
    assert_eq!(agent_names(&db, world.workspace).await.len(), 20);
    assert!(agent_names(&db, other.workspace).await.is_empty());
}

#[both_databases]
async fn a_read_that_is_dropped_open_harms_nobody(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    for _ in 0..20 {
        let mut tx = db.read(world.workspace).await.unwrap();
        agents::names(&mut tx).await.unwrap();
        drop(tx);
    }
    add_agent(&db, world.workspace, agent(&ids, "Scout")).await.unwrap();
    let reads = (0..20).map(|_| agent_names(&db, world.workspace));
    assert!(join_all(reads).await.iter().all(|names| *names == ["Scout"]));
}

/// After an ignored error, PostgreSQL's transaction is aborted, and its COMMIT would roll back without an
/// error.
#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_error_does_not_pass_for_a_commit() {
    let db = toolcrib_testkit::postgres().await;
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Scout");
    let told: Result<(), StoreError> = db
        .write(world.workspace, move |tx| {
            Box::pin(async move {
                agents::insert(tx, &row).await?;
                assert!(agents::insert(tx, &row).await.is_err());
                Ok(())
            })
        })
        .await;
    assert!(told.is_err());
    assert!(agent_names(&db, world.workspace).await.is_empty());
}

async fn nothing_is_left_and_writes_go_on(
    db: &TestDb,
    ids: &TestIds,
    workspace: toolcrib_model::Id,
    audit_id: toolcrib_model::Id,
) {
    assert!(agent_names(db, workspace).await.is_empty());
    assert!(audit_entry(db, workspace, audit_id).await.is_none());
    add_agent(db, workspace, agent(ids, "Next")).await.unwrap();
    assert_eq!(agent_names(db, workspace).await, ["Next"]);
}

async fn one_of_many(
    db: Db,
    workspace: toolcrib_model::Id,
    row: agents::AgentRow,
    keep: bool,
) -> Result<(), StoreError> {
    db.write(workspace, move |tx| {
        Box::pin(async move {
            agents::insert(tx, &row).await?;
            if keep { Ok(()) } else { Err(StoreError::Inconsistent("on purpose".into())) }
        })
    })
    .await
}

/// Only SQLite has one queue of writes; on PostgreSQL, writes have connections of their own.
#[tokio::test(flavor = "multi_thread")]
async fn one_workspaces_backlog_is_not_before_anothers_job() {
    let db = toolcrib_testkit::sqlite().await;
    let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (open, gate) = tokio::sync::oneshot::channel::<()>();
    let writer = (*db).clone();
    let held = tokio::spawn(async move {
        let job = toolcrib_store::write_job(move |_: &mut WriteTx, _| {
            async move {
                begun.send(()).unwrap();
                gate.await.map_err(|error| StoreError::Inconsistent(error.to_string()))
            }
            .boxed()
        });
        writer.write_with_access::<(), StoreError, _>(Id::from_u128(1), ActorIds::default(), LONG, job).await
    });
    has_begun.await.unwrap();
    let job = |workspace: u128| {
        let order = order.clone();
        db.write::<(), StoreError, _>(Id::from_u128(workspace), move |_| {
            Box::pin(async move {
                order.lock().unwrap().push(workspace);
                Ok(())
            })
        })
    };
    let order_of_arrival = std::iter::repeat_n(1, 300).chain([2, 3, 2]);
    let mut waiting = Box::pin(join_all(order_of_arrival.map(job)));
    assert!(futures_util::poll!(waiting.as_mut()).is_pending());
    open.send(()).unwrap();
    held.await.unwrap().unwrap();
    assert!(waiting.await.iter().all(Result::is_ok));
    assert_eq!(order.lock().unwrap()[..6], [1, 2, 3, 1, 2, 1]);
}
