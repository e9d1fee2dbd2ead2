//! Several people decide at once on three processes with one PostgreSQL: one winner, one effect and one line
//! of history.
//!
//! Ten rounds, or a thousand with `SOAK=1`. Prints the counts. The engine's own tests do the same on one
//! process. What the three processes log is one chain.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use toolcrib_model::{Clock as _, Cursor, Id, SystemClock};
use toolcrib_store::{
    audit::{self, AuditFilter},
    tasks::{self, TaskFilter},
};
use toolcrib_testkit::{TestDb, eventually, soak};

use crate::{
    api::Api,
    audit_chain::{three_processes_make_one_chain, write_to_all},
    binary::{Server, folder},
    place::Place,
    private::processes_on_postgresql_may_share_a_folder,
};

fn rounds() -> usize {
    soak(10, 1_000)
}

/// Sends 32 decisions at once, through all processes; in odd rounds every third one is a denial. Returns how
/// many were accepted.
async fn decide(doors: &[Api], id: &str, round: usize) -> usize {
    let begin = Arc::new(tokio::sync::Barrier::new(32));
    let tasks = (0..32).map(|n| {
        let (api, begin, id) = (doors[n % doors.len()].clone(), begin.clone(), id.to_owned());
        let what = if round % 2 == 1 && n % 3 == 0 { "deny" } else { "approve" };
        tokio::spawn(async move {
            begin.wait().await;
            let (status, body) =
                api.ask("POST", &format!("/v1/confirmations/{id}/{what}"), Some(&json!({}))).await.unwrap();
            match (status, body["code"].as_str()) {
                (200, _) => 1,
                (409, Some("already_decided")) | (410, Some("expired")) => 0,
                _ => panic!("{what}: {status} {body}"),
            }
        })
    });
    let mut won = 0;
    for task in tasks.collect::<Vec<_>>() {
        won += task.await.unwrap();
    }
    won
}

/// Numbers of audit rows of a confirmation: calls that succeeded, and decisions that count.
async fn audited(db: &TestDb, workspace: Id, id: Id) -> (usize, usize) {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter { confirmation_id: Some(id), ..AuditFilter::default() };
    let rows = audit::list(&mut tx, &filter, Cursor::START, 1_000).await.unwrap();
    tx.end().await.unwrap();
    let ran = rows.iter().filter(|row| row.kind == "call" && row.outcome == "succeeded").count();
    let counts = |row: &&audit::AuditEntry| row.outcome == "succeeded" || row.decision == "expired";
    let decided = rows.iter().filter(|row| row.kind == "confirmation").filter(counts).count();
    (ran, decided)
}

async fn effects(db: &TestDb, workspace: Id, title: &str) -> usize {
    let mut tx = db.read(workspace).await.unwrap();
    let rows = tasks::list(&mut tx, &TaskFilter::default(), Cursor::START, 100_000).await.unwrap();
    tx.end().await.unwrap();
    rows.iter().filter(|row| row.title == title).count()
}

/// The confirmation once it is decided or expired. If it expires, a worker of one of the processes closes it.
async fn closed(api: &Api, db: &TestDb, id: Id) -> Value {
    let place = format!("/v1/confirmations/{id}");
    eventually("the record is closed", async || {
        // The row and the decided record are in one commit.
        let closed = audited(db, api.workspace, id).await.1 > 0;
        let view = api.get(&place).await;
        if closed { Ok(view) } else { Err(view) }
    })
    .await
}

/// Requests one confirmation, decides it many times at once, and checks what must hold. Returns the final
/// status.
async fn one_round(owners: &[Api; 3], doors: &[Api], db: &TestDb, round: usize) -> String {
    let workspace = owners[0].workspace;
    let title = format!("Round {round}");
    let create = json!({ "title": title, "description": "count me" });
    let asked = owners[round % 3].post("/v1/actions/platform_create_task", &create, 202).await;
    let text = asked["confirmation"]["id"].as_str().unwrap();
    let id: Id = text.parse().unwrap();
    if round % 4 > 1 {
        // The confirmation expires while people decide, or just before or after.
        let end = SystemClock.now().as_micros() + i64::try_from(round * 7 % 60).unwrap() * 1_000;
        db.raw_sql(&format!("UPDATE confirmations SET expires_at = {end} WHERE id = '{id}'")).await;
    }
    let won = decide(doors, text, round).await;
    let view = closed(&owners[(round + 1) % 3], db, id).await;
    let status = view["status"].as_str().unwrap().to_owned();
    assert_eq!(won, usize::from(status != "expired"), "{status}: one winner, none where time ran out");
    let steps: Vec<&str> =
        view["history"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect();
    assert_eq!(steps, ["pending", status.as_str()], "the history is one line");
    let once = usize::from(status == "executed");
    assert_eq!(audited(db, workspace, id).await, (once, 1), "{status}");
    assert_eq!(effects(db, workspace, &title).await, once, "{status}: one effect");
    status
}

#[tokio::test(flavor = "multi_thread")]
async fn one_decision_wins_on_three_processes_soak() {
    let (folder, db) = (folder(), toolcrib_testkit::postgres().await);
    let servers = processes_on_postgresql_may_share_a_folder(folder.path(), &db.url());
    let client = reqwest::Client::new();
    let api = |server: &Server, who: &str| Api::new(&client, server, folder.path(), who);
    let owners = servers.each_ref().map(|server| api(server, "owner"));
    let calls = write_to_all(&owners, &db).await;
    let doors: Vec<Api> =
        servers.iter().flat_map(|server| ["owner", "admin"].map(|who| api(server, who))).collect();
    toolcrib_testkit::change_workspace(&db, owners[0].workspace, |row| {
        row.settings.approval_mode = "confirm_writes".into();
        row.settings.write_per_minute = 1_000_000;
        row.settings.read_per_minute = 1_000_000;
    })
    .await;
    let mut counts = BTreeMap::<String, usize>::new();
    for round in 0..rounds() {
        *counts.entry(one_round(&owners, &doors, &db, round).await).or_default() += 1;
    }
    println!("32 decide at once on three processes: {} rounds, {counts:?}", rounds());
    assert_eq!(counts.values().sum::<usize>(), rounds());
    for server in servers {
        assert_eq!(server.stop(), Some(0));
    }
    let place = Place::new(folder.path(), &db);
    three_processes_make_one_chain(&place, &owners[0].workspace.to_string(), calls);
}
