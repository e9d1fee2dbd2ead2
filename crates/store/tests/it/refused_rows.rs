//! If the database refuses a row, only the call that wrote it fails, not the calls that share its commit.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{TestRng, TestRunner},
};
use toolcrib_model::{Id, IdGen};
use toolcrib_store::{ActorIds, AuditRow, Db, EventRow, StoreError, agents};
use toolcrib_testkit::{NOW, TestDb, TestIds, World, both_databases, clock, seed};

use crate::help::{agent, agent_names, audit_entry, audit_row};

/// What is wrong with the rows of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// The audit row has an id that exists already.
    AuditId,
    /// The second of two audit rows has an id that exists already.
    SecondRow,
    /// The event has an id that exists already.
    EventId,
    /// The audit row has a text with a NUL, which only SQLite can hold.
    Nul,
}

/// How the rows are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Rows of a read: in the batch of audit rows.
    Read,
    /// Rows of a write that also reads the caller's access row.
    Write,
    /// Rows of a write that reads no access row.
    WorkerWrite,
}

fn call() -> impl Strategy<Value = (Way, Wrong)> {
    use {Way::*, Wrong::*};
    let way = prop_oneof![3 => Just(Read), 2 => Just(Write), 1 => Just(WorkerWrite)];
    let rare = prop_oneof![Just(AuditId), Just(SecondRow), Just(EventId), Just(Nul)];
    let wrong = prop_oneof![5 => Just(Nothing), 4 => rare];
    (way, wrong)
}

struct Rows {
    audit: Vec<AuditRow>,
    events: Vec<EventRow>,
}

fn rows(ids: &TestIds, place: Id, there: Id, wrong: Wrong) -> Rows {
    let (mut audit, mut events) = (vec![audit_row(ids, place, NOW)], vec![event(ids, place)]);
    match wrong {
        Wrong::Nothing => {}
        Wrong::AuditId => audit[0].id = there,
        Wrong::SecondRow => audit.push(AuditRow { id: there, ..audit_row(ids, place, NOW) }),
        Wrong::EventId => events[0].id = there,
        Wrong::Nul => audit[0].target = Some("a\0b".into()),
    }
    Rows { audit, events }
}

fn event(ids: &TestIds, place: Id) -> EventRow {
    EventRow {
        workspace_id: place,
        id: ids.new_id(NOW),
        name: "test.done".into(),
        kind: "domain",
        session: None,
        user_id: None,
        permission: None,
        data: serde_json::json!({}),
        occurred_at: NOW,
    }
}

/// Writes the rows of one call. A write also adds an agent.
async fn write(db: Db, place: Id, way: Way, row: agents::AgentRow, rows: Rows) -> Result<(), StoreError> {
    if way == Way::Read {
        return db.audit_with_events(rows.audit, rows.events).await;
    }
    let mut tx = match way {
        Way::WorkerWrite => db.begin_write(place).await?,
        _ => db.begin_write_as(place, ActorIds::default()).await?.0,
    };
    agents::insert(&mut tx, &row).await?;
    rows.audit.into_iter().for_each(|row| tx.audit(row));
    rows.events.into_iter().for_each(|row| tx.event(row));
    tx.commit().await
}

/// Runs the calls of one case at the same time, so that they share commits.
async fn check(db: &TestDb, world: &World, ids: &TestIds, there: Id, case: usize, calls: &[(Way, Wrong)]) {
    let before: BTreeSet<String> = agent_names(db, world.workspace).await.into_iter().collect();
    let mut expected = before.clone();
    let writes = calls.iter().enumerate().map(|(n, &(way, wrong))| {
        let name = format!("agent-{case}-{n}");
        let rows = rows(ids, world.workspace, there, wrong);
        let fits = wrong == Wrong::Nothing || (wrong == Wrong::Nul && db.kind() == "sqlite");
        if fits && way != Way::Read {
            expected.insert(name.clone());
        }
        let first = rows.audit[0].id;
        let done = tokio::spawn(write((**db).clone(), world.workspace, way, agent(ids, &name), rows));
        async move { (way, wrong, fits, first, done.await.unwrap()) }
    });
    for (way, wrong, fits, first, done) in join_all(writes).await {
        assert_eq!(done.is_ok(), fits, "{way:?} {wrong:?}: {done:?}");
        if wrong != Wrong::AuditId {
            let stands = audit_entry(db, world.workspace, first).await.is_some();
            assert_eq!(stands, fits, "{way:?} {wrong:?}");
        }
    }
    let after: BTreeSet<String> = agent_names(db, world.workspace).await.into_iter().collect();
    assert_eq!(after, expected, "an effect stands exactly where its rows do");
}

#[both_databases]
async fn a_row_that_the_database_refuses_fails_alone(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    // An audit row and an event with this id exist already.
    let there = ids.new_id(NOW);
    let row = AuditRow { id: there, ..audit_row(&ids, world.workspace, NOW) };
    db.audit_with_events(vec![row], vec![EventRow { id: there, ..event(&ids, world.workspace) }])
        .await
        .unwrap();

    let config = ProptestConfig::default();
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let calls = prop::collection::vec(call(), 1..24);
    for case in 0..24 {
        let calls = calls.new_tree(&mut runner).unwrap().current();
        check(&db, &world, &ids, there, case, &calls).await;
    }
    // More rows than one statement holds; the database refuses one of them.
    let mut calls = vec![(Way::Read, Wrong::Nothing); 200];
    calls[137].1 = Wrong::AuditId;
    check(&db, &world, &ids, there, 1000, &calls).await;
}
