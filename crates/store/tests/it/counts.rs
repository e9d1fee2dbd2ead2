//! An agent's row counts its tools, skills and plugins, whatever changes them.

use futures_util::future::join_all;
use toolcrib_model::{Cursor, Id, Ts};
use toolcrib_store::{
    Db, StoreError,
    agents::{self, AgentFilter},
    assignments, connections,
    heartbeats::{self, HeartbeatRow},
    keys::{self, KeyRow},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, key_row, seed, seed_named, write};

use crate::help::{add_agent, agent};

/// Tools, skills and plugins of the agent, whether its heartbeat is on, and its last activity.
type Counts = (i64, i64, i64, bool, Option<Ts>);

async fn counts(db: &Db, workspace: Id, id: Id) -> Counts {
    let mut tx = db.read(workspace).await.unwrap();
    let all = agents::list(&mut tx, &AgentFilter::default(), Cursor::START, 100).await.unwrap();
    tx.end().await.unwrap();
    let row = all.into_iter().find(|row| row.id == id).unwrap();
    (row.tool_count, row.skill_count, row.plugin_count, row.heartbeat, row.last_active_at)
}

fn beat(agent_id: Id, enabled: bool) -> HeartbeatRow {
    HeartbeatRow {
        agent_id,
        enabled,
        interval_minutes: 30,
        prompt: None,
        active_hours: None,
        mode: "silent".into(),
        next_due_at: enabled.then_some(1),
        caller: None,
        set_by: None,
        updated_at: NOW,
    }
}

fn key(workspace: Id, id: Id, agent: Id) -> KeyRow {
    KeyRow { agent_id: Some(agent), ..key_row(workspace, id, "agent") }
}

async fn give(db: &Db, workspace: Id, agent: Id, connection: Id) -> Result<(), StoreError> {
    write(db, workspace, async |tx| assignments::add_tool(tx, agent, connection, NOW).await.map(|_| ())).await
}

#[both_databases]
async fn assignments_and_removals_are_counted(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let (one, two, workspace) = (agent(&ids, "One"), agent(&ids, "Two"), world.workspace);
    let (a, b) = (one.id, two.id);
    add_agent(&db, workspace, one.clone()).await.unwrap();
    add_agent(&db, workspace, two).await.unwrap();
    // An agent with the same id in another workspace is a different agent.
    add_agent(&db, other.workspace, one).await.unwrap();
    let [app, chat, item] = [1, 2, 3].map(Id::from_u128);
    write(&db, workspace, async |tx| {
        for connection in [app, chat, app] {
            assignments::add_tool(tx, a, connection, NOW).await?;
        }
        assignments::add_skill(tx, a, item, NOW).await?;
        assignments::add_plugin(tx, a, item, NOW).await?;
        assignments::add_plugin(tx, b, item, NOW).await?;
        heartbeats::put(tx, &beat(a, true)).await
    })
    .await
    .unwrap();
    assert_eq!(counts(&db, workspace, a).await, (2, 1, 1, true, None));
    assert_eq!(counts(&db, workspace, b).await, (0, 0, 1, false, None));
    assert_eq!(counts(&db, other.workspace, a).await, (0, 0, 0, false, None));

    write(&db, workspace, async |tx| {
        connections::delete(tx, app).await?;
        heartbeats::put(tx, &beat(a, false)).await?;
        heartbeats::put(tx, &beat(b, true)).await
    })
    .await
    .unwrap();
    assert_eq!(counts(&db, workspace, a).await, (1, 1, 1, false, None));
    assert_eq!(counts(&db, workspace, b).await, (0, 0, 1, true, None));

    let done = write(&db, workspace, async |tx| {
        heartbeats::put(tx, &beat(a, true)).await?;
        assignments::remove_all(tx, a, NOW).await
    })
    .await
    .unwrap();
    assert!(done);
    assert_eq!(counts(&db, workspace, a).await, (0, 0, 0, false, None));
    assert_eq!(counts(&db, workspace, b).await, (0, 0, 1, true, None));
}

#[both_databases]
async fn the_use_of_a_key_is_its_agents_activity(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let (one, two, id) = (agent(&ids, "One"), agent(&ids, "Two"), Id::from_u128(9));
    let (a, b) = (one.id, two.id);
    add_agent(&db, workspace, one).await.unwrap();
    add_agent(&db, workspace, two).await.unwrap();
    for (at, latest) in [(NOW.plus_seconds(60), 60), (NOW.plus_seconds(30), 60), (NOW.plus_seconds(61), 61)] {
        let first = latest == 60 && at == NOW.plus_seconds(60);
        write(&db, workspace, async |tx| {
            if first {
                keys::insert(tx, &key(workspace, id, a)).await?;
            }
            keys::touch(tx, id, Some(a), at).await
        })
        .await
        .unwrap();
        assert_eq!(counts(&db, workspace, a).await.4, Some(NOW.plus_seconds(latest)));
    }
    assert_eq!(counts(&db, workspace, b).await.4, None);
}

#[both_databases]
async fn concurrent_assignments_are_all_counted(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let one = agent(&ids, "One");
    let id = one.id;
    add_agent(&db, workspace, one).await.unwrap();
    let all = join_all((1..=40).map(|number| give(&db, workspace, id, Id::from_u128(number)))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(counts(&db, workspace, id).await.0, 40);
}

#[both_databases]
async fn concurrent_changes_of_an_agent_do_not_deadlock(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let (one, id) = (agent(&ids, "One"), Id::from_u128(9));
    let a = one.id;
    add_agent(&db, workspace, one).await.unwrap();
    write(&db, workspace, async |tx| keys::insert(tx, &key(workspace, id, a)).await).await.unwrap();
    for round in 0..20 {
        for number in 1..8 {
            give(&db, workspace, a, Id::from_u128(number)).await.unwrap();
        }
        write(&db, workspace, async |tx| heartbeats::put(tx, &beat(a, true)).await).await.unwrap();
        let changes = (0..4).map(|what| {
            let db = (*db).clone();
            tokio::spawn(async move {
                write(&db, workspace, async |tx| match what {
                    0 => assignments::remove_all(tx, a, NOW).await.map(|_| ()),
                    1 => connections::delete(tx, Id::from_u128(4)).await.map(|_| ()),
                    2 => keys::touch(tx, id, Some(a), NOW.plus_seconds(round)).await,
                    _ => heartbeats::put(tx, &beat(a, false)).await,
                })
                .await
            })
        });
        for (what, changed) in join_all(changes).await.into_iter().enumerate() {
            changed.unwrap().unwrap_or_else(|error| panic!("round {round}, change {what}: {error}"));
        }
    }
}

#[both_databases]
async fn connections_that_many_agents_share_end_at_the_same_time(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let rows: Vec<_> = (0..12).map(|number| agent(&ids, &format!("Agent {number}"))).collect();
    for row in &rows {
        add_agent(&db, workspace, row.clone()).await.unwrap();
    }
    for round in 0..10 {
        let pair = [1, 2].map(|number| Id::from_u128(round * 10 + number));
        // The two connections are assigned in opposite orders, so that a plan that scans the table would lock
        // the agents in opposite orders.
        for (row, last) in rows.iter().zip(rows.iter().rev()) {
            give(&db, workspace, row.id, pair[0]).await.unwrap();
            give(&db, workspace, last.id, pair[1]).await.unwrap();
        }
        let ended = join_all(pair.map(|connection| {
            let db = (*db).clone();
            let delete = async move {
                write(&db, workspace, async |tx| connections::delete(tx, connection).await).await
            };
            tokio::spawn(delete)
        }))
        .await;
        for ended in ended {
            ended.unwrap().unwrap_or_else(|error| panic!("round {round}: {error}"));
        }
        for row in &rows {
            assert_eq!(counts(&db, workspace, row.id).await.0, 0);
        }
    }
}
