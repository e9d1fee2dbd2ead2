//! kill -9 while calls of an upstream run: each start row gets one outcome row, and each request arrives
//! once.
//!
//! Two rounds on each database, or three hundred with `SOAK=1`. Prints the counts.

mod upstream;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    Db,
    audit::{self, AuditFilter},
};
use toolcrib_testkit::{TestDb, both_databases, eventually, soak};

use crate::{
    api::Api,
    binary::{Server, folder},
    load::cut_off,
    place::Place,
};
use upstream::{Upstream, declare};

/// Number of calls in a round.
const CALLS: usize = 24;

fn rounds() -> u64 {
    soak(2, 300)
}

fn start(place: &Place, upstream: &Upstream) -> Server {
    place.start(&["--demo", "--upstream-hosts", upstream.address().1])
}

/// Sends calls to the server, which is killed meanwhile.
async fn one_round(server: Server, place: &Place, upstream: &Upstream, round: u64) {
    let client = reqwest::Client::new();
    let calls = (0..CALLS).map(|n| {
        let owner = Api::new(&client, &server, &place.folder, "owner");
        let owner = owner.with("Idempotency-Key", &format!("{round}-{n}"));
        let body = json!({ "note": format!("{round}-{n}") });
        tokio::spawn(async move { owner.ask("POST", "/v1/actions/desk__add_note", Some(&body)).await })
    });
    let calls = calls.collect();
    // Later in each round, so that some calls have ended and others have not, however busy the machine is.
    let arrived = upstream.received().len() + 1 + usize::try_from(round * 5 % 20).unwrap();
    eventually("requests arrive", async || upstream.received().len() >= arrived).await;
    cut_off(calls, Duration::from_millis((round * 37) % 260), || server.kill()).await;
}

/// The rows of a call.
#[derive(Debug, Default)]
struct CallRows {
    /// The note of the start row.
    note: String,
    /// The number of outcome rows.
    outcomes: usize,
}

/// Returns the rows of the workspace's calls of the tool.
async fn rows(db: &Db, workspace: Id) -> BTreeMap<Id, CallRows> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter { action: Some("desk__add_note".into()), ..AuditFilter::default() };
    let rows = audit::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    let mut calls: BTreeMap<Id, CallRows> = BTreeMap::new();
    for row in rows {
        match (row.call_ref, row.outcome.as_str()) {
            (Some(call), _) => calls.entry(call).or_default().outcomes += 1,
            (None, "started") => {
                let arguments: Value = serde_json::from_str(&row.arguments).unwrap();
                arguments["note"].as_str().unwrap().clone_into(&mut calls.entry(row.id).or_default().note);
            }
            (None, other) => panic!("neither a start row nor an outcome row: {other}"),
        }
    }
    calls
}

/// Makes the time of every running call over.
const OVERDUE: &str = "UPDATE open_calls SET end_by = 1 WHERE state = 'running'";

async fn survives(db: &TestDb, kind: &str) {
    let folder = folder();
    let place = Place::new(folder.path(), db);
    let upstream = Upstream::start(kind).await;
    let first = start(&place, &upstream);
    let owner = Api::new(&reqwest::Client::new(), &first, &place.folder, "owner");
    declare(&owner, &upstream).await;
    let workspace = owner.workspace;
    place.limits_off(workspace).await;
    one_round(first, &place, &upstream, 0).await;
    for round in 1..rounds() {
        one_round(start(&place, &upstream), &place, &upstream, round).await;
    }
    place.run(OVERDUE).await;
    let last = start(&place, &upstream);
    let db = place.open().await;
    eventually("every call has ended", async || {
        rows(&db, workspace).await.values().all(|call| call.outcomes > 0)
    })
    .await;
    last.kill();
    agree(&rows(&db, workspace).await, &upstream.received(), &format!("{kind}, {}", db.kind()));
    db.close().await;
    place.verify();
}

/// Compares the calls' rows with the requests that arrived, and prints their numbers.
fn agree(calls: &BTreeMap<Id, CallRows>, sent: &[(Option<Id>, String)], what: &str) {
    let outcomes = calls.values().map(|call| call.outcomes).sum::<usize>();
    println!(
        "kill -9 with an upstream, {what}: {} rounds, {} start rows, {} requests, {outcomes} outcome rows",
        rounds(),
        calls.len(),
        sent.len(),
    );
    let distinct: BTreeSet<&String> = sent.iter().map(|(_, note)| note).collect();
    assert_eq!(distinct.len(), sent.len(), "a request arrived twice");
    let started: BTreeMap<&String, Id> = calls.iter().map(|(id, call)| (&call.note, *id)).collect();
    for (id, note) in sent {
        let start_row = started.get(note).copied();
        assert!(start_row.is_some(), "the request {note} has no start row");
        assert!(id.is_none() || *id == start_row, "the request {note} names another start row");
    }
    assert!(calls.values().all(|call| call.outcomes == 1), "a call has several outcome rows: {calls:?}");
    // A tenth of the calls of the rounds.
    assert!(sent.len() as u64 * 10 > rounds() * CALLS as u64, "the load did not reach the service");
}

#[both_databases]
async fn http_calls_survive_a_kill_soak(db: TestDb) {
    survives(&db, "http").await;
}

#[both_databases]
async fn mcp_calls_survive_a_kill_soak(db: TestDb) {
    survives(&db, "mcp").await;
}
