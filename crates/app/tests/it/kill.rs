//! kill -9 under load: there is no effect without its audit row and no row without its effect, and nothing
//! that was acknowledged is lost.
//!
//! Four rounds on each database, or a hundred with `SOAK=1`. Prints the counts.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    Db,
    agents::{self, AgentFilter},
    audit::{self, AuditFilter},
    tasks::{self, TaskFilter},
};
use toolcrib_testkit::{eventually, settled, soak};

use crate::{
    api::Api,
    binary::{Server, demo},
    load::cut_off,
};

/// The names of the agents whose creation was answered with 200.
type Acknowledged = Arc<Mutex<HashSet<String>>>;

/// What a writer needs.
#[derive(Clone)]
struct Load {
    client: reqwest::Client,
    base: String,
    token: String,
    workspace: String,
    acknowledged: Acknowledged,
}

fn start(folder: &Path, database: Option<&str>) -> Server {
    let with: Vec<&str> = database.map_or(vec!["--demo"], |url| vec!["--demo", "--database", url]);
    Server::start(folder, &with)
}

fn rounds() -> u64 {
    soak(4, 100)
}

/// Creates agents with `name` in their names until the server is gone.
async fn writer(load: Load, name: String) {
    let Load { client, base, token, workspace, acknowledged } = load;
    for n in 0.. {
        let agent = format!("{name}-{n}");
        let call = client
            .post(format!("{base}/v1/actions/platform_create_agent"))
            .bearer_auth(&token)
            .header("X-Workspace-Id", &workspace)
            .json(&json!({ "name": agent }));
        match call.send().await {
            Ok(answer) if answer.status() == 200 => {
                acknowledged.lock().unwrap().insert(agent);
            }
            Ok(answer) => panic!("{}: {}", answer.status(), answer.text().await.unwrap_or_default()),
            Err(_) => return,
        }
    }
}

async fn one_round(folder: &Path, database: Option<&str>, round: u64, acknowledged: &Acknowledged) {
    let server = start(folder, database);
    let workspace = demo(folder)["workspaces"][0].take();
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().to_owned();
    let load = Load {
        // One client for all writers, because creating one reads every root certificate of the machine.
        client: reqwest::Client::new(),
        base: server.base(),
        token: text("/owner/token"),
        workspace: text("/id"),
        acknowledged: acknowledged.clone(),
    };
    let before = acknowledged.lock().unwrap().len();
    let writers: Vec<_> =
        (0..16).map(|n| tokio::spawn(writer(load.clone(), format!("kill-{round}-{n}")))).collect();
    // The load is under way once another call is acknowledged.
    eventually("something is acknowledged", async || acknowledged.lock().unwrap().len() > before).await;
    // The server is killed at a different moment in each round, so that all rounds together cover every
    // window.
    cut_off(writers, Duration::from_millis((round * 137) % 450), || server.kill()).await;
}

async fn made(db: &Db, workspace: Id) -> HashSet<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AgentFilter { search: Some("kill-".into()), ..AgentFilter::default() };
    let rows = agents::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    rows.into_iter().map(|row| row.name).collect()
}

async fn recorded(db: &Db, workspace: Id) -> Vec<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter {
        action: Some("platform_create_agent".into()),
        outcome: Some("succeeded".into()),
        ..AuditFilter::default()
    };
    let rows = audit::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    let name = |target: String| target.trim_start_matches("agent `").trim_end_matches('`').to_owned();
    rows.into_iter().filter_map(|row| row.target.map(name)).filter(|name| name.starts_with("kill-")).collect()
}

/// Effects and rows once they no longer change: a server process of PostgreSQL may outlive its client for a
/// moment and finish a commit between the two queries.
pub async fn at_rest(db: &Db, workspace: Id) -> (HashSet<String>, Vec<String>) {
    let read = async || (made(db, workspace).await, recorded(db, workspace).await);
    settled("nothing moves any more", read).await
}

async fn survives(folder: &Path, database: Option<&str>, open: impl AsyncFn() -> Db) {
    let first = start(folder, database);
    let workspace: Id = demo(folder)["workspaces"][0]["id"].as_str().unwrap().parse().unwrap();
    first.kill();
    let db = open().await;
    toolcrib_testkit::change_workspace(&db, workspace, |row| row.settings.write_per_minute = 1_000_000).await;
    db.close().await;
    let acknowledged = Acknowledged::default();
    for round in 0..rounds() {
        one_round(folder, database, round, &acknowledged).await;
    }
    let db = open().await;
    let (made, recorded) = at_rest(&db, workspace).await;
    let acknowledged = acknowledged.lock().unwrap().clone();
    println!(
        "kill -9, {}: {} rounds, {} acknowledged, {} effects, {} rows",
        db.kind(),
        rounds(),
        acknowledged.len(),
        made.len(),
        recorded.len()
    );
    assert!(!acknowledged.is_empty(), "the load did not reach the server");
    let lost: Vec<_> = acknowledged.difference(&made).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let rows: HashSet<String> = recorded.iter().cloned().collect();
    assert_eq!(rows.len(), recorded.len(), "an effect has two rows");
    assert_eq!(made.symmetric_difference(&rows).collect::<Vec<_>>(), Vec::<&String>::new());
    db.close().await;
}

/// Number of calls in a round.
const KEYED: usize = 60;

type Sent = Vec<tokio::task::JoinHandle<Option<(u16, Value)>>>;

/// Sends calls with a key each, all at once. Those of a round are always the same.
fn send(client: &reqwest::Client, server: &Server, folder: &Path, round: u64) -> Sent {
    let owner = Api::new(client, server, folder, "owner");
    let one = |n: usize| {
        let owner = owner.with("Idempotency-Key", &format!("key-{round}-{n}"));
        let body = json!({ "title": format!("Keyed {round} {n}"), "description": "once" });
        tokio::spawn(async move { owner.ask("POST", "/v1/actions/platform_create_task", Some(&body)).await })
    };
    (0..KEYED).map(one).collect()
}

/// Sends the calls to a server that is killed meanwhile, and again to the next one. Returns how many were
/// acknowledged by the first and how many were replayed by the second.
async fn keyed_round(
    client: &reqwest::Client,
    folder: &Path,
    database: Option<&str>,
    round: u64,
) -> (usize, usize) {
    let server = start(folder, database);
    let calls = send(client, &server, folder, round);
    let before = cut_off(calls, Duration::from_millis(60 + round * 97 % 600), || server.kill()).await;
    let server = start(folder, database);
    let (mut told, mut replayed) = (0, 0);
    for (call, before) in send(client, &server, folder, round).into_iter().zip(before) {
        let (status, body) = call.await.unwrap().expect("the next server answers");
        assert_eq!(status, 200, "{body}");
        replayed += usize::from(body["replayed"] == true);
        if let Some((200, first)) = before {
            told += 1;
            assert_eq!((&body["data"], &body["replayed"]), (&first["data"], &json!(true)), "{body}");
        }
    }
    server.kill();
    (told, replayed)
}

/// Whatever happened to a keyed call before the server was killed, the repeated call is answered and there is
/// one effect.
async fn keys_survive(folder: &Path, database: Option<&str>, open: impl AsyncFn() -> Db) {
    let first = start(folder, database);
    let client = reqwest::Client::new();
    let workspace = Api::new(&client, &first, folder, "owner").workspace;
    first.kill();
    let db = open().await;
    toolcrib_testkit::change_workspace(&db, workspace, |row| row.settings.write_per_minute = 1_000_000).await;
    db.close().await;
    let (mut told, mut replayed) = (0, 0);
    for round in 0..rounds() {
        let (more_told, more_replayed) = keyed_round(&client, folder, database, round).await;
        (told, replayed) = (told + more_told, replayed + more_replayed);
    }
    let db = open().await;
    let mut tx = db.read(workspace).await.unwrap();
    let made = tasks::list(&mut tx, &TaskFilter::default(), Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    let titles: Vec<_> =
        made.iter().map(|row| &row.title).filter(|title| title.starts_with("Keyed ")).collect();
    let distinct: HashSet<_> = titles.iter().collect();
    let (kind, rounds, effects) = (db.kind(), rounds(), titles.len());
    let sent = usize::try_from(rounds).unwrap() * KEYED;
    println!(
        "kill -9 with keys, {kind}: {rounds} rounds, {sent} keys, {told} acknowledged before, {replayed} \
         replayed after, {effects} effects"
    );
    assert_eq!((effects, distinct.len()), (sent, sent));
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_survive_a_kill_on_sqlite_soak() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data/toolcrib.db");
    keys_survive(folder.path(), None, async || Db::open_sqlite(&file).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_survive_a_kill_on_postgres_soak() {
    let folder = tempfile::tempdir().unwrap();
    let database = toolcrib_testkit::postgres().await;
    let url = database.url();
    keys_survive(folder.path(), Some(&url), async || Db::open_pg(&url, 4).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_nine_on_sqlite_soak() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data/toolcrib.db");
    survives(folder.path(), None, async || Db::open_sqlite(&file).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_nine_on_postgres_soak() {
    let folder = tempfile::tempdir().unwrap();
    let database = toolcrib_testkit::postgres().await;
    let url = database.url();
    survives(folder.path(), Some(&url), async || Db::open_pg(&url, 4).await.unwrap()).await;
}
