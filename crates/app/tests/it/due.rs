//! Every due schedule and heartbeat fires once, whatever the number of processes on one PostgreSQL, and even
//! if one is killed. The processes send webhooks too.

use std::collections::BTreeMap;

use serde_json::Value;
use toolcrib_model::{Clock, Id, IdGen, SystemClock, SystemIds, Ts};
use toolcrib_store::{
    Db, StoreError,
    events::{self, EventEntry},
    heartbeats::{self, HeartbeatRow},
    schedules::{self, ScheduleRow},
};
use toolcrib_testkit::{eventually, write};

use crate::{
    api::Api,
    binary::{Server, demo, folder},
    webhooks::{Receiver, remember},
};

const SCHEDULES: i64 = 300;
/// All schedules come due within this many milliseconds.
const SPREAD: i64 = 4_000;

pub fn schedule(id: Id, agent_id: Id, at: Ts) -> ScheduleRow {
    ScheduleRow {
        id,
        kind: "one_shot".into(),
        description: "Do it".into(),
        due: at.to_string(),
        timezone: "UTC".into(),
        agent_id,
        agent_name: None,
        status: "active".into(),
        max_runs: Some(1),
        runs: 0,
        next_at: Some(at.as_micros()),
        last_at: None,
        version: 1,
        created_by: None,
        caller: None,
        created_at: at,
        updated_at: at,
    }
}

/// Inserts schedules that come due one after the other, from a second from now, and a heartbeat among them.
async fn plan(db: &Db, workspace: Id, agent: Id) {
    let begin = SystemClock.now().plus_seconds(1);
    let at = move |n: i64| Ts::from_micros(begin.as_micros() + n * SPREAD * 1_000 / SCHEDULES);
    let heartbeat = HeartbeatRow {
        caller: None,
        set_by: None,
        agent_id: agent,
        enabled: true,
        interval_minutes: 60,
        prompt: None,
        active_hours: None,
        mode: "notify".into(),
        next_due_at: Some(at(SCHEDULES / 2).as_micros()),
        updated_at: begin,
    };
    write::<_, StoreError>(db, workspace, async |tx| {
        heartbeats::put(tx, &heartbeat).await?;
        for n in 0..SCHEDULES {
            schedules::insert(tx, &schedule(SystemIds.new_id(begin), agent, at(n))).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// All events of a workspace.
pub async fn told(db: &Db, workspace: Id) -> Vec<EventEntry> {
    events::assign_offsets(db).await.unwrap();
    let mut tx = db.read(workspace).await.unwrap();
    let told = events::after(&mut tx, 0, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    told
}

/// How many events each schedule or agent has.
fn counts(told: &[EventEntry], name: &str, field: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in told.iter().filter(|event| event.name == name) {
        let data: Value = serde_json::from_str(&event.data).unwrap();
        *counts.entry(data[field].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

async fn active(db: &Db, workspace: Id) -> usize {
    let mut tx = db.read(workspace).await.unwrap();
    let left =
        schedules::list(&mut tx, Some("active"), None, toolcrib_model::Cursor::START, 1_000).await.unwrap();
    tx.end().await.unwrap();
    left.iter().filter(|row| row.description == "Do it").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn three_processes_fire_each_schedule_once_even_if_one_is_killed() {
    let (folder, database, receiver) =
        (folder(), toolcrib_testkit::postgres().await, Receiver::start().await);
    let url = database.url();
    let start = |log: &str| {
        let with = ["--demo", "--database", &url, "--webhook-hosts", &receiver.host];
        Server::start_as(log, folder.path(), &with)
    };
    let (doomed, second, third) = (start("one.txt"), start("two.txt"), start("three.txt"));
    let client = reqwest::Client::new();
    let owner = [&doomed, &second, &third].map(|server| Api::new(&client, server, folder.path(), "owner"));
    let webhook = receiver.hook(&owner[1]).await;
    let workspace = demo(folder.path())["workspaces"][0].take();
    let id = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().parse::<Id>().unwrap();
    let (place, agent) = (id("/id"), id("/agent/agent_id"));
    plan(&database, place, agent).await;
    // One process is killed in the middle.
    eventually("they begin to fire", async || {
        told(&database, place).await.iter().filter(|event| event.name == "schedule.due").count() >= 60
    })
    .await;
    for n in 0..10 {
        assert!(remember(&owner[0], n).await, "the limit allows ten");
    }
    doomed.kill();
    let mut written = 10;
    for n in 10..20 {
        written += usize::from(remember(&owner[1 + n % 2], n).await);
    }
    eventually("the others go on", async || active(&database, place).await == 0).await;
    let all = told(&database, place).await;
    let fired = counts(&all, "schedule.due", "id");
    assert!(fired.values().all(|times| *times == 1), "{fired:?}");
    assert!(fired.len() >= usize::try_from(SCHEDULES).unwrap(), "{}", fired.len());
    let beats = counts(&all, "heartbeat.due", "agent_id");
    assert_eq!(beats.get(&agent.to_string()), Some(&1), "{beats:?}");
    println!("{} schedules and {} heartbeats fired once each", fired.len(), beats.len());
    receiver.three_processes_send_each_event_with_a_valid_signature(&webhook, written).await;
}
