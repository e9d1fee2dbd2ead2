//! Transactions: what a write leaves behind, and that other writes keep their changes if one fails.

use std::{future::pending, sync::Mutex, time::Duration};

use futures_util::future::join_all;
use tokio::sync::oneshot;
use toolcrib_model::Id;
use toolcrib_store::{ActorIds, Db, StoreError, agents, health, within};
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
    let (mut tx, _) = db.read_with_access(world.workspace, ActorIds::default()).await.unwrap();
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

#[both_databases]
async fn a_failed_write_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let failed = write::<(), StoreError>(&db, world.workspace, async |tx| {
        agents::insert(tx, &row).await?;
        tx.audit(audited);
        Err(StoreError::Inconsistent("on purpose".into()))
    });
    assert!(matches!(failed.await, Err(StoreError::Inconsistent(why)) if why == "on purpose"));
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn a_write_that_is_rolled_back_or_dropped_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let audited = audit_row(&ids, world.workspace, NOW);
    for is_dropped in [false, true] {
        let mut tx = db.begin_write(world.workspace).await.unwrap();
        agents::insert(&mut tx, &agent(&ids, "Scout")).await.unwrap();
        tx.audit(audited.clone());
        if is_dropped {
            drop(tx);
        } else {
            tx.rollback().await.unwrap();
        }
    }
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audited.id).await;
}

#[both_databases]
async fn a_write_of_a_panicking_task_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let (audit_id, other) = (audited.id, (*db).clone());
    let panicked = tokio::spawn(async move {
        let mut tx = other.begin_write(world.workspace).await.unwrap();
        agents::insert(&mut tx, &row).await.unwrap();
        tx.audit(audited);
        panic!("on purpose");
    });
    assert!(panicked.await.unwrap_err().is_panic());
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn a_write_of_an_aborted_task_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let (audit_id, other) = (audited.id, (*db).clone());
    let (insert, is_inserted) = oneshot::channel();
    let held = tokio::spawn(async move {
        let mut tx = other.begin_write(world.workspace).await.unwrap();
        agents::insert(&mut tx, &row).await.unwrap();
        tx.audit(audited);
        insert.send(()).unwrap();
        pending::<()>().await;
    });
    is_inserted.await.unwrap();
    held.abort();
    assert!(held.await.unwrap_err().is_cancelled());
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn panicking_work_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let mut tx = db.begin_write(world.workspace).await.unwrap();
    let work = async {
        agents::insert(&mut tx, &row).await.unwrap();
        tx.audit(audited);
        panic!("on purpose");
    };
    let failed: Result<(), StoreError> = within(LONG, work).await;
    assert!(matches!(failed, Err(StoreError::Inconsistent(_))), "{failed:?}");
    drop(tx);
    nothing_is_left_and_writes_go_on(&db, &ids, world.workspace, audit_id).await;
}

#[both_databases]
async fn work_over_its_limit_leaves_nothing(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (row, audited) = (agent(&ids, "Scout"), audit_row(&ids, world.workspace, NOW));
    let audit_id = audited.id;
    let limit = Duration::from_millis(200);
    let (mut tx, _) = db.begin_write_as(world.workspace, ActorIds::default()).await.unwrap();
    let work = async {
        agents::insert(&mut tx, &row).await.unwrap();
        tx.audit(audited);
        pending::<()>().await;
    };
    let failed = within(limit, work).await;
    assert!(matches!(failed, Err(StoreError::Timeout)), "{failed:?}");
    drop(tx);
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
