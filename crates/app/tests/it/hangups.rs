//! Clients that hang up at every gate: either nothing happened, or the call completed and has its row.
//! Everything that the call held is released.

mod raw;

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use toolcrib_model::Cursor;
use toolcrib_store::{
    Db,
    audit::{self, AuditFilter},
};
use toolcrib_testkit::{
    OpenTransaction, TestDb, both_databases, eventually, open_sqlite_transaction, outside::Redis,
};

use crate::{
    api::Api,
    binary::{Server, folder},
    load::{at_rest, begin},
    outages::WAITING,
    place::Place,
};
use raw::Raw;

/// Number of calls at each gate.
const ROUNDS: usize = 8;
const CREATE: &str = "/v1/actions/platform_create_agent";

/// The service with its database, and a caller.
struct Scene {
    server: Server,
    api: Api,
    db: Db,
    test: TestDb,
    place: Place,
    _folder: tempfile::TempDir,
    redis: Redis,
}

impl Scene {
    async fn begin(test: TestDb) -> Self {
        let (folder, redis) = (folder(), Redis::start().await);
        let place = Place::new(folder.path(), &test);
        let cache = redis.url();
        // The pool of PostgreSQL is smaller than the number of abandoned calls, so a leak of one connection
        // by each would be noticed.
        let args = ["--redis", &cache, "--streams-per-principal", "100", "--pg-pool-size", "4"];
        let (server, api, db) = begin(&place, &args).await;
        Self { server, api, db, test, place, _folder: folder, redis }
    }

    /// Holds what the call will need: a table on PostgreSQL, the writer on SQLite.
    async fn hold(&self, table: &str, mode: &str) -> OpenTransaction {
        if self.test.kind() == "postgres" {
            return self.test.open_transaction(&format!("LOCK TABLE {table} IN {mode} MODE")).await;
        }
        open_sqlite_transaction(&self.place.file(), "BEGIN IMMEDIATE").await
    }

    /// Waits until a call waits for what is held. SQLite does not report this, and on PostgreSQL a worker may
    /// be the one that waits. But a call that was read and is not answered waits, or soon will.
    async fn stuck(&self, client: &mut Raw) {
        client.is_read().await;
        if self.test.kind() == "postgres" {
            eventually("a call waits", async || self.test.number(WAITING).await > 0).await;
        }
        assert_eq!(client.hears(Duration::from_millis(50)).await, None, "it waits");
    }

    /// The number of audit rows of an action's calls with this decision and outcome.
    async fn rows(&self, action: &str, decision: &str, outcome: &str) -> usize {
        let filter = AuditFilter {
            kind: Some("call".into()),
            action: Some(action.into()),
            decision: Some(decision.into()),
            outcome: Some(outcome.into()),
            ..AuditFilter::default()
        };
        let mut tx = self.db.read(self.api.workspace).await.unwrap();
        let rows = audit::list(&mut tx, &filter, Cursor::START, 10_000).await.unwrap();
        tx.end().await.unwrap();
        rows.len()
    }

    /// The number of effects once nothing changes any more. Checks that each has its row and that there are
    /// no other rows.
    async fn effects(&self) -> usize {
        let (made, recorded) = at_rest(&self.db, self.api.workspace).await;
        let rows: HashSet<String> = recorded.iter().cloned().collect();
        assert_eq!(rows.len(), recorded.len(), "an effect has two rows");
        assert_eq!(made.symmetric_difference(&rows).collect::<Vec<_>>(), Vec::<&String>::new());
        made.len()
    }
}

/// What a call waits for in a gate.
enum Wait {
    /// Nothing: the client sends only this percentage of its call's bytes.
    Said(usize),
    /// A locked table.
    Table(&'static str, &'static str),
    /// An idempotency key, which is held by a call that waits for a locked table.
    Turn,
    /// Redis.
    Limiter,
}

/// The gates, how a call is held up in each, and whether it completes without its client. On SQLite readers
/// never wait, so of the tables only the one that stands for the writer is used.
const GATES: [(&str, Wait, bool); 9] = [
    ("1-head", Wait::Said(30), false),
    ("1-body", Wait::Said(97), false),
    ("7-turn", Wait::Turn, true),
    ("9-limit", Wait::Limiter, true),
    ("10-run", Wait::Table("agents", "SHARE ROW EXCLUSIVE"), true),
    ("3-membership", Wait::Table("members", "ACCESS EXCLUSIVE"), true),
    ("6-arguments", Wait::Table("agents", "ACCESS EXCLUSIVE"), true),
    ("7-idempotency", Wait::Table("idempotency", "ACCESS EXCLUSIVE"), true),
    ("11-audit", Wait::Table("action_log", "SHARE ROW EXCLUSIVE"), true),
];
const ON_SQLITE: usize = 5;

/// Abandons one call while it waits in this gate.
async fn give_up(scene: &Scene, gate: &str, wait: &Wait, round: usize) {
    let hard = round.is_multiple_of(2);
    let api = scene.api.with("Idempotency-Key", &format!("hang-{gate}-{round}"));
    let bytes = api.bytes(CREATE, &json!({ "name": format!("kill-hang-{gate}-{round}") }));
    match wait {
        Wait::Said(percent) => {
            let client = Raw::send(&scene.api.base, &bytes[..bytes.len() * percent / 100]).await;
            client.hang_up(hard, &scene.server).await;
        }
        Wait::Table(table, mode) => {
            let held = scene.hold(table, mode).await;
            let mut client = Raw::send(&scene.api.base, &bytes).await;
            scene.stuck(&mut client).await;
            client.hang_up(hard, &scene.server).await;
            held.release().await;
        }
        Wait::Turn => {
            let held = scene.hold("agents", "SHARE ROW EXCLUSIVE").await;
            let mut first = Raw::send(&scene.api.base, &bytes).await;
            scene.stuck(&mut first).await;
            let mut second = Raw::send(&scene.api.base, &bytes).await;
            scene.stuck(&mut second).await;
            second.hang_up(hard, &scene.server).await;
            first.hang_up(!hard, &scene.server).await;
            held.release().await;
        }
        Wait::Limiter => {
            scene.redis.pause(Duration::from_millis(120)).await;
            let mut client = Raw::send(&scene.api.base, &bytes).await;
            client.is_read().await;
            // On a busy machine the pause may be over by now, and the call answered.
            client.hears(Duration::from_millis(50)).await;
            client.hang_up(hard, &scene.server).await;
            scene.redis.goes_on().await;
        }
    }
}

/// Abandons writes at every gate. Returns how many of them completed.
async fn writes(scene: &Scene) -> Vec<String> {
    let gates = if scene.db.kind() == "sqlite" { &GATES[..ON_SQLITE] } else { &GATES };
    let mut told = Vec::new();
    let mut before = scene.effects().await;
    for (gate, wait, ends) in gates {
        for round in 0..ROUNDS {
            give_up(scene, gate, wait, round).await;
        }
        if *ends {
            // On a busy machine a call may be abandoned before it was read. Most are not.
            eventually(gate, async || scene.effects().await >= before + ROUNDS / 2).await;
        }
        let came = scene.effects().await - before;
        assert!(came <= if *ends { ROUNDS } else { 0 }, "{gate}: {came} effects of {ROUNDS} calls");
        told.push(format!("{gate} {came}/{ROUNDS}"));
        before += came;
    }
    told
}

/// Closes the connection a number of microseconds after the last byte was sent, or when the first bytes of
/// the response arrive, so that any point may be hit. Returns the numbers of calls and effects.
async fn anywhere(scene: &Scene) -> (usize, usize) {
    let before = scene.effects().await;
    for n in 0..64_u64 {
        let bytes = scene.api.bytes(CREATE, &json!({ "name": format!("kill-hang-any-{n}") }));
        let mut client = Raw::send(&scene.api.base, &bytes).await;
        client.hears(Duration::from_micros(n * 250)).await;
        client.cut(n % 2 == 0);
    }
    (64, scene.effects().await - before)
}

/// Abandons calls that wait for a confirmation, and their approvals, while these are written.
async fn questions(scene: &Scene) -> (usize, usize) {
    let api = &scene.api;
    for n in 0..ROUNDS {
        api.post(CREATE, &json!({ "name": format!("kill-asked-{n}") }), 200).await;
    }
    let asked = || scene.rows("platform_delete_agent", "confirmation_required", "not_run");
    let before = asked().await;
    for n in 0..ROUNDS {
        let delete =
            api.bytes("/v1/actions/platform_delete_agent", &json!({ "agent": format!("kill-asked-{n}") }));
        let held = scene.hold("confirmations", "SHARE ROW EXCLUSIVE").await;
        let mut client = Raw::send(&api.base, &delete).await;
        scene.stuck(&mut client).await;
        client.hang_up(n % 2 == 0, &scene.server).await;
        held.release().await;
    }
    eventually("every question has its row", async || asked().await == before + ROUNDS).await;
    let open = api.get("/v1/confirmations?status=pending&limit=100").await["items"].take();
    let open: Vec<Value> = open.as_array().unwrap().iter().filter(|item| ours(item)).cloned().collect();
    assert_eq!(open.len(), ROUNDS, "a question has one row and one record");
    let ran = || scene.rows("platform_delete_agent", "approved", "succeeded");
    let before_ran = ran().await;
    for (n, question) in open.iter().enumerate() {
        let approve = format!("/v1/confirmations/{}/approve", question["id"].as_str().unwrap());
        api.post(&approve, &json!({}), 202).await;
        let phrase = api.bytes(&approve, &json!({ "phrase": question["phrase"] }));
        let held = scene.hold("agents", "SHARE ROW EXCLUSIVE").await;
        let mut client = Raw::send(&api.base, &phrase).await;
        scene.stuck(&mut client).await;
        client.hang_up(n % 2 == 0, &scene.server).await;
        held.release().await;
    }
    eventually("every approval ends", async || ran().await == before_ran + ROUNDS).await;
    let found = api.post("/v1/actions/platform_list_agents", &json!({ "search": "kill-asked-" }), 200).await;
    assert_eq!(found["data"]["items"], json!([]), "each ran");
    for question in &open {
        let view = api.get(&format!("/v1/confirmations/{}", question["id"].as_str().unwrap())).await;
        assert_eq!(view["status"], "executed");
    }
    (ROUNDS, ROUNDS)
}

fn ours(item: &Value) -> bool {
    item["action"] == "platform_delete_agent" && item.to_string().contains("kill-asked-")
}

/// Abandons reads whose rows can't be written yet. Each has its row all the same.
async fn reads(scene: &Scene) -> usize {
    let count = || scene.rows("platform_list_playbooks", "auto_allowed", "succeeded");
    let before = count().await;
    for n in 0..ROUNDS {
        let bytes = scene.api.bytes("/v1/actions/platform_list_playbooks", &json!({}));
        let held = scene.hold("action_log", "SHARE ROW EXCLUSIVE").await;
        let mut client = Raw::send(&scene.api.base, &bytes).await;
        scene.stuck(&mut client).await;
        client.hang_up(n % 2 == 0, &scene.server).await;
        held.release().await;
    }
    eventually("every read has its row", async || count().await == before + ROUNDS).await;
    ROUNDS
}

/// Abandons event streams. None of them stays open.
async fn streams(scene: &Scene) -> usize {
    let ask = String::from_utf8(scene.api.bytes("/v1/events", &json!({}))).unwrap();
    let head: Vec<&str> = ask.split("\r\n").filter(|line| !line.starts_with("Content-")).collect();
    let ask = format!("{}\r\n\r\n", head[..4].join("\r\n").replacen("POST", "GET", 1));
    let mut streams = Vec::new();
    for _ in 0..100 {
        let mut client = Raw::send(&scene.api.base, ask.as_bytes()).await;
        let mut text = String::new();
        while !text.contains(": listening") {
            let more = client.hears(Duration::from_mins(1)).await.expect("the stream begins");
            assert!(!more.is_empty(), "{text}");
            text.push_str(&more);
        }
        streams.push(client);
    }
    for (n, stream) in streams.into_iter().enumerate() {
        stream.cut(n % 2 == 0);
    }
    100
}

/// Makes calls at once that must all succeed. Returns their number.
async fn together(scene: &Scene, name: &str) -> usize {
    let calls = (0..32).map(|n| {
        let (api, agent) = (scene.api.clone(), json!({ "name": format!("{name}-{n}") }));
        async move {
            api.post(CREATE, &agent, 200).await;
            api.post("/v1/actions/platform_list_agents", &json!({ "limit": 1 }), 200).await;
        }
    });
    2 * futures_util::future::join_all(calls).await.len()
}

#[both_databases]
async fn clients_that_hang_up_leave_nothing_half_done(db: TestDb) {
    let scene = Scene::begin(db).await;
    let kind = scene.db.kind();
    // Calls first, so that the service has opened the connections that it needs.
    together(&scene, "kill-before").await;
    let before = scene.server.open_files();
    let gates = writes(&scene).await;
    let (sent, came) = anywhere(&scene).await;
    let (asked, approved) = questions(&scene).await;
    let read = reads(&scene).await;
    println!(
        "hung up, {kind}: finished of given up at each gate: {}; anywhere {came}/{sent}; {asked} questions, \
         {approved} approvals and {read} reads, each with its row",
        gates.join(", ")
    );

    let streams = streams(&scene).await;
    // Abandoned calls hold no connection to a client or to the database.
    eventually("every connection is closed", async || scene.server.open_files() <= before + 8).await;
    let begun = Instant::now();
    let after = scene.server.open_files();
    let calls = together(&scene, "kill-after").await;
    println!(
        "hung up, {kind}: {streams} streams closed, {before} files open before and {after} after; \
         {calls} calls in {:?}",
        begun.elapsed()
    );
    if kind == "postgres" {
        let idle = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        eventually("no transaction stays open", async || scene.test.number(idle).await == 0).await;
    }
    scene.db.close().await;
    assert_eq!(scene.server.stop(), Some(0));
}
