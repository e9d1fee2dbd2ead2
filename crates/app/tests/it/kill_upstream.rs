//! kill -9 while calls of an upstream run: each start row gets one outcome row, and each request arrives
//! once.
//!
//! Ten rounds on each database, or three hundred with `SOAK=1`. Prints the counts.
#![expect(clippy::disallowed_methods, reason = "the number of rounds comes from the environment")]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    Db,
    audit::{self, AuditFilter},
};
use toolcrib_testkit::{
    eventually, open_pg_transaction, open_sqlite_transaction,
    outside::{RestService, ServiceAnswer},
};

use crate::{
    api::Api,
    binary::{Server, done},
    load::cut_off,
};

/// Number of calls in a round.
const CALLS: usize = 24;

fn rounds() -> u64 {
    if std::env::var("SOAK").is_ok() { 300 } else { 10 }
}

/// A tool that adds a note, with the upstream's time limit at one second.
fn document() -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "add_note", "description": "Add a note.", "permission_level": "write",
            "timeout_seconds": 1, "accessible_by": "everyone",
            "parameters": {"required": ["note"], "properties": {
                "note": {"type": "string", "maxLength": 100}}},
            "http": {"upstream": "helpdesk", "method": "POST", "path": "notes", "body": {"note": "{note}"},
                "idempotency_header": "Idempotency-Key"}
        }]
    })
}

fn start(folder: &Path, database: Option<&str>, service: &RestService) -> Server {
    let mut with = vec!["--demo", "--upstream-hosts", &service.host];
    with.extend(database.into_iter().flat_map(|url| ["--database", url]));
    Server::start(folder, &with)
}

async fn declare(owner: &Api, service: &RestService) {
    let upstream = json!({"name": "helpdesk", "kind": "http", "base_url": service.url});
    let (status, body) = owner.ask("POST", "/v1/upstreams", Some(&upstream)).await.unwrap();
    assert!(status < 300, "{body}");
    let (status, body) = owner.ask("PUT", "/v1/toolsets/desk", Some(&document())).await.unwrap();
    assert_eq!(status, 200, "{body}");
}

/// Sends calls to a server that is killed meanwhile.
async fn one_round(folder: &Path, database: Option<&str>, service: &RestService, round: u64) {
    let server = start(folder, database, service);
    let client = reqwest::Client::new();
    let calls = (0..CALLS).map(|n| {
        let owner =
            Api::new(&client, &server, folder, "owner").with("Idempotency-Key", &format!("{round}-{n}"));
        let body = json!({ "note": format!("{round}-{n}") });
        tokio::spawn(async move { owner.ask("POST", "/v1/actions/desk__add_note", Some(&body)).await })
    });
    let calls = calls.collect();
    let before = service.received().len();
    eventually("a request arrives", async || service.received().len() > before).await;
    cut_off(calls, Duration::from_millis((round * 37) % 260), || server.kill()).await;
}

/// Returns the rows of the workspace's calls of the tool: start rows, and for each its outcome rows.
async fn rows(db: &Db, workspace: Id) -> BTreeMap<Id, usize> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter { action: Some("desk__add_note".into()), ..AuditFilter::default() };
    let rows = audit::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    let mut calls: BTreeMap<Id, usize> = BTreeMap::new();
    for row in rows {
        match (row.call_ref, row.outcome.as_str()) {
            (Some(call), _) => *calls.entry(call).or_default() += 1,
            (None, "started") => drop(calls.entry(row.id).or_default()),
            (None, other) => panic!("neither a start row nor an outcome row: {other}"),
        }
    }
    calls
}

/// Makes the time of every running call over.
const OVERDUE: &str = "UPDATE open_calls SET end_by = 1 WHERE state = 'running'";

async fn survives(
    folder: &Path,
    database: Option<&str>,
    open: impl AsyncFn() -> Db,
    overdue: impl AsyncFn(&'static str),
) {
    let service = RestService::start().await;
    service.answer(ServiceAnswer::After(Duration::from_millis(120)));
    let first = start(folder, database, &service);
    let client = reqwest::Client::new();
    let owner = Api::new(&client, &first, folder, "owner");
    declare(&owner, &service).await;
    let workspace = owner.workspace;
    first.kill();
    let db = open().await;
    toolcrib_testkit::change_workspace(&db, workspace, |row| row.write_per_minute = 1_000_000).await;
    db.close().await;
    for round in 0..rounds() {
        one_round(folder, database, &service, round).await;
    }
    overdue(OVERDUE).await;
    let last = start(folder, database, &service);
    let db = open().await;
    eventually("every call has ended", async || {
        rows(&db, workspace).await.values().all(|outcomes| *outcomes > 0)
    })
    .await;
    last.kill();
    let calls = rows(&db, workspace).await;
    let header = |request: &toolcrib_testkit::outside::ReceivedRequest| {
        request.headers["idempotency-key"].to_str().unwrap().to_owned()
    };
    let sent: Vec<String> = service.received().iter().map(header).collect();
    let distinct: BTreeSet<&String> = sent.iter().collect();
    println!(
        "kill -9 with an upstream, {}: {} rounds, {} start rows, {} requests, {} outcome rows",
        db.kind(),
        rounds(),
        calls.len(),
        sent.len(),
        calls.values().sum::<usize>()
    );
    assert_eq!(distinct.len(), sent.len(), "a request arrived twice");
    let unrecorded = sent.iter().filter(|id| !calls.contains_key(&id.parse().unwrap()));
    assert_eq!(unrecorded.count(), 0, "a request has no start row");
    assert!(calls.values().all(|outcomes| *outcomes == 1), "a call has several outcome rows: {calls:?}");
    assert!(sent.len() > CALLS, "the load did not reach the service");
    db.close().await;
    let folder = folder.join("data").display().to_string();
    let mut verify = vec!["audit", "verify", "--data-dir", &folder];
    verify.extend(database.into_iter().flat_map(|url| ["--database", url]));
    let text = done(&verify);
    assert!(text.contains("intact"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_an_upstream_survive_a_kill_on_sqlite_soak() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data/toolcrib.db");
    let open = async || Db::open_sqlite(&file).await.unwrap();
    let overdue = async |sql| open_sqlite_transaction(&file, &format!("BEGIN; {sql}")).await.commit().await;
    survives(folder.path(), None, open, overdue).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_an_upstream_survive_a_kill_on_postgres_soak() {
    let folder = tempfile::tempdir().unwrap();
    let database = toolcrib_testkit::postgres().await;
    let url = database.url();
    let open = async || Db::open_pg(&url, 4).await.unwrap();
    let overdue = async |sql| open_pg_transaction(&url, sql).await.commit().await;
    survives(folder.path(), Some(&url), open, overdue).await;
}
