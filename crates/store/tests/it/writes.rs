//! Transactions: what a write leaves behind, and that other writes keep their changes if one fails.

use std::{future::pending, sync::Mutex, time::Duration};

use futures_util::future::join_all;
use toolcrib_model::Id;
use toolcrib_store::{ActorIds, AuditRow, Db, StoreError, WriteTx, agents, health, within};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, write};

use crate::help::{add_agent, agent, agent_names, audit_entry, audit_row};

/// Longer than any work here takes.
const LONG: Duration = Duration::from_mins(1);

#[both_databases]
async fn the_database_refuses_writes_in_a_read(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let mut tx = db.read(world.workspace).await.unwrap();
    let refused = health::attempt_write(&mut tx).await;
    assert!(matches!(refused, Err(StoreError::Statement(_))), "{refused:?}");
    drop(tx);
    let (mut tx, _) = db.begin_read_as(world.workspace, ActorIds::default()).await.unwrap();
    assert!(health::attempt_write(&mut tx).await.is_err());
    drop(tx);
    // The same statement succeeds in a write, so the read was refused because it is a read.
    write(&db, world.workspace, async |tx| health::attempt_write(tx).await).await.unwrap();
}

#[both_databases]
async fn a_restart_removes_the_changes_but_not_the_audit_row(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, first, audited) =
        (agent(&ids, "Scout"), agent(&ids, "First"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let mut tx = db.begin_write(world.workspace).await.unwrap();
    agents::insert(&mut tx, &first).await.unwrap();
    // A restart works after a failed statement too.
    assert!(matches!(agents::insert(&mut tx, &first).await, Err(StoreError::Duplicate)));
    tx.restart().await.unwrap();
    assert!(agents::names(&mut tx).await.unwrap().is_empty());
    agents::insert(&mut tx, &row).await.unwrap();
    tx.restart().await.unwrap();
    tx.audit(audited);
    tx.commit().await.unwrap();
    assert!(agent_names(&db, world.workspace).await.is_empty());
    assert!(audit_entry(&db, world.workspace, audit_id).await.is_some());
}

#[both_databases]
async fn a_row_belongs_to_the_workspace_that_the_transaction_is_in(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let [first, second, third] = ["First", "Second", "Third"].map(|name| agent(&ids, name));
    let (here, elsewhere) = (world.workspace, other.workspace);
    let mut tx = db.begin_write(here).await.unwrap();
    tx.switch_workspace(elsewhere).await.unwrap();
    agents::insert(&mut tx, &first).await.unwrap();
    tx.restart().await.unwrap();
    assert_eq!(tx.workspace(), here);
    agents::insert(&mut tx, &second).await.unwrap();
    tx.switch_workspace(elsewhere).await.unwrap();
    agents::insert(&mut tx, &third).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(agent_names(&db, here).await, ["Second"]);
    assert_eq!(agent_names(&db, elsewhere).await, ["Third"]);
}

/// How a write ends that does not commit.
#[derive(Clone, Copy, Debug)]
enum End {
    Error,
    Rollback,
    Dropped,
    TaskPanics,
    TaskAborted,
    WorkPanics,
    OverItsLimit,
}

/// Inserts an agent and an audit row, and ends without a commit.
async fn end_without_commit(db: Db, workspace: Id, rows: (agents::AgentRow, AuditRow), end: End) {
    let insert = async |tx: &mut WriteTx| {
        agents::insert(tx, &rows.0).await.unwrap();
        tx.audit(rows.1.clone());
    };
    if let End::Error = end {
        let failed = write::<(), StoreError>(&db, workspace, async |tx| {
            insert(tx).await;
            Err(StoreError::Inconsistent("on purpose".into()))
        });
        assert!(matches!(failed.await, Err(StoreError::Inconsistent(why)) if why == "on purpose"));
        return;
    }
    let (mut tx, _) = db.begin_write_as(workspace, ActorIds::default()).await.unwrap();
    match end {
        End::WorkPanics => {
            let work = async {
                insert(&mut tx).await;
                panic!("on purpose");
            };
            let failed: Result<(), StoreError> = within(LONG, work).await;
            assert!(matches!(failed, Err(StoreError::Inconsistent(_))), "{failed:?}");
        }
        End::OverItsLimit => {
            let work = async {
                insert(&mut tx).await;
                pending::<()>().await;
            };
            let failed = within(Duration::from_millis(200), work).await;
            assert!(matches!(failed, Err(StoreError::Timeout)), "{failed:?}");
        }
        _ => insert(&mut tx).await,
    }
    match end {
        End::Rollback => tx.rollback().await.unwrap(),
        End::TaskPanics => {
            let task = tokio::spawn(async move {
                let _tx = tx;
                panic!("on purpose");
            });
            let ended: Result<(), _> = task.await;
            assert!(ended.unwrap_err().is_panic());
        }
        End::TaskAborted => {
            let task = tokio::spawn(async move {
                let _tx = tx;
                pending::<()>().await;
            });
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        }
        _ => drop(tx),
    }
}

#[both_databases]
async fn a_write_that_does_not_commit_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let mut next = Vec::new();
    for end in [
        End::Error,
        End::Rollback,
        End::Dropped,
        End::TaskPanics,
        End::TaskAborted,
        End::WorkPanics,
        End::OverItsLimit,
    ] {
        let audited = audit_row(&ids, workspace, NOW);
        let audit_id = audited.id;
        end_without_commit((*db).clone(), workspace, (agent(&ids, "Scout"), audited), end).await;
        assert_eq!(agent_names(&db, workspace).await, next, "{end:?}");
        assert!(audit_entry(&db, workspace, audit_id).await.is_none(), "{end:?}");
        next.push(format!("Next {}", next.len()));
        add_agent(&db, workspace, agent(&ids, next.last().unwrap())).await.unwrap();
        assert_eq!(agent_names(&db, workspace).await, next, "{end:?}: writes go on");
    }
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
            let (mut tx, access) = db.begin_write_as(world.workspace, ActorIds::default()).await.unwrap();
            assert!(access.is_some());
            agents::insert(&mut tx, &row).await.unwrap();
            tx.audit(audited);
            tx.commit().await.unwrap();
            row.id
        })
    });
    for written in join_all(writes).await {
        let id = written.unwrap();
        assert!(audit_entry(&db, world.workspace, id).await.is_some());
    }
    assert_eq!(agent_names(&db, world.workspace).await.len(), 64);
}

#[both_databases]
async fn failed_writes_do_not_affect_concurrent_ones_of_another_workspace(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let mut writes = Vec::new();
    for n in 0..20 {
        for (workspace, name, keep) in
            [(world.workspace, format!("a{n}"), true), (other.workspace, format!("b{n}"), false)]
        {
            writes.push(tokio::spawn(one_of_many((*db).clone(), workspace, agent(&ids, &name), keep)));
        }
    }
    let kept = join_all(writes).await.into_iter().filter(|kept| kept.as_ref().unwrap().is_ok()).count();
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
    let mut tx = db.begin_write(world.workspace).await.unwrap();
    agents::insert(&mut tx, &row).await.unwrap();
    assert!(agents::insert(&mut tx, &row).await.is_err());
    assert!(tx.commit().await.is_err());
    assert!(agent_names(&db, world.workspace).await.is_empty());
}

async fn one_of_many(
    db: Db,
    workspace: toolcrib_model::Id,
    row: agents::AgentRow,
    keep: bool,
) -> Result<(), StoreError> {
    write(&db, workspace, async |tx| {
        agents::insert(tx, &row).await?;
        if keep { Ok(()) } else { Err(StoreError::Inconsistent("on purpose".into())) }
    })
    .await
}

/// Only SQLite has one queue of writes; on PostgreSQL, writes have connections of their own.
#[tokio::test(flavor = "multi_thread")]
async fn one_workspaces_backlog_is_not_before_anothers_write() {
    let db = toolcrib_testkit::sqlite().await;
    let order = Mutex::new(Vec::new());
    let held = db.begin_write(Id::from_u128(1)).await.unwrap();
    let one = async |workspace: u128| {
        let tx = db.begin_write(Id::from_u128(workspace)).await?;
        order.lock().unwrap().push(workspace);
        tx.commit().await
    };
    let order_of_arrival = std::iter::repeat_n(1, 300).chain([2, 3, 2]);
    let mut waiting = Box::pin(join_all(order_of_arrival.map(one)));
    assert!(futures_util::poll!(waiting.as_mut()).is_pending());
    let (released, ended) = tokio::join!(held.commit(), waiting);
    released.unwrap();
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(order.lock().unwrap()[..6], [1, 2, 3, 1, 2, 1]);
}
