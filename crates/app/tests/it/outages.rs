//! What the service depends on goes away under load and comes back, and the service is stopped under load.
//! What was acknowledged is there, and each effect has its row.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use toolcrib_testkit::{
    TestDb, eventually,
    outside::{Postgres, Redis, Stop},
};

use crate::{
    api::{Api, until},
    binary::folder,
    load::{Load, begin, status},
    place::Place,
};

const WRITERS: usize = 16;

/// Terminates every connection to the database, again and again for a second, or for less if calls get
/// through.
async fn outage(db: &TestDb, load: &Load) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..20 {
        db.raw_sql(end).await;
        // Gives the load some time. It is fine if nothing gets through.
        let _ = tokio::time::timeout(Duration::from_millis(50), load.goes_on()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_lose_nothing() {
    let (folder, database) = (folder(), toolcrib_testkit::postgres().await);
    let place = Place::new(folder.path(), &database);
    let (server, api, db) = begin(&place, &[]).await;
    db.close().await;
    let load = Load::default();
    let writers = load.start(&api, WRITERS);
    for _ in 0..3 {
        load.goes_on().await;
        outage(&database, &load).await;
    }
    load.goes_on().await;
    load.end(writers).await;
    let db = place.open().await;
    load.compare("every connection to PostgreSQL cut 60 times", &db, api.workspace, &[503, 504]).await;
    db.close().await;
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_postgres_loses_nothing() {
    let (folder, postgres) = (folder(), Postgres::start());
    let place = Place::at(folder.path(), Some(postgres.url()));
    let (server, api, db) = begin(&place, &[]).await;
    db.close().await;
    let load = Load::default();
    let writers = load.start(&api, WRITERS);
    for how in [Stop::Fast, Stop::Immediate, Stop::Immediate] {
        load.goes_on().await;
        postgres.stop(how);
        let before = load.count_refused();
        eventually("writes are refused", async || load.count_refused() >= before + WRITERS).await;
        assert_eq!(status(&api.base, "/healthz").await, Some(200), "the process is alive");
        assert_eq!(status(&api.base, "/readyz").await, Some(503), "and can't work");
        postgres.again();
        eventually("it is ready again", async || status(&api.base, "/readyz").await == Some(200)).await;
    }
    load.goes_on().await;
    load.end(writers).await;
    let db = place.open().await;
    let what = "PostgreSQL stopped once and killed twice, and started again";
    load.compare(what, &db, api.workspace, &[503, 504]).await;
    db.close().await;
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_redis_loses_nothing() {
    let (folder, mut redis) = (folder(), Redis::start().await);
    let place = Place::at(folder.path(), None);
    let (server, api, db) = begin(&place, &["--redis", &redis.url()]).await;
    let load = Load::default();
    let writers = load.start(&api, WRITERS);
    let mut reads = 0;
    for _ in 0..3 {
        load.goes_on().await;
        redis.stop();
        let before = load.count_refused();
        eventually("writes are refused", async || load.count_refused() >= before + WRITERS).await;
        assert_eq!(status(&api.base, "/readyz").await, Some(503));
        for _ in 0..5 {
            api.post("/v1/actions/platform_list_agents", &json!({ "limit": 1 }), 200).await;
            reads += 1;
        }
        redis.again().await;
        eventually("it is ready again", async || status(&api.base, "/readyz").await == Some(200)).await;
    }
    load.goes_on().await;
    load.end(writers).await;
    let what = format!("Redis killed and started again 3 times, {reads} reads meanwhile");
    load.compare(&what, &db, api.workspace, &[503]).await;
    let codes: HashSet<String> = load.refused.lock().unwrap().keys().map(|(_, code)| code.clone()).collect();
    assert_eq!(codes, HashSet::from(["limiter_unavailable".to_owned()]));
    db.close().await;
    assert_eq!(server.stop(), Some(0));
}

/// A reader of an event stream.
struct Listener {
    text: Arc<Mutex<String>>,
    /// Whether the stream ended without an error.
    reading: JoinHandle<bool>,
}

impl Listener {
    async fn begin(api: &Api) -> Self {
        let mut stream = api.stream("/v1/events?types=agent.created", None).await;
        let text = Arc::new(Mutex::new(until(&mut stream, ": listening").await));
        let heard = text.clone();
        let reading = tokio::spawn(async move {
            loop {
                match stream.chunk().await {
                    Ok(Some(more)) => heard.lock().unwrap().push_str(std::str::from_utf8(&more).unwrap()),
                    ended => return ended.is_ok(),
                }
            }
        });
        Self { text, reading }
    }

    fn told(&self) -> Vec<(String, String)> {
        told(&self.text.lock().unwrap())
    }
}

/// Ids of events and names of their agents, in order.
fn told(text: &str) -> Vec<(String, String)> {
    let mut events = Vec::new();
    let mut id = "";
    // After the last empty line there is only the beginning of an event.
    let whole = text.rfind("\n\n").unwrap_or_default();
    for line in text[..whole].lines() {
        if let Some(rest) = line.strip_prefix("id: ") {
            id = rest;
        } else if let Some(data) = line.strip_prefix("data: ") {
            let data: Value = serde_json::from_str(data).unwrap();
            events.push((id.to_owned(), data["name"].as_str().unwrap_or_default().to_owned()));
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_under_load_loses_nothing() {
    let folder = folder();
    let place = Place::at(folder.path(), None);
    let (server, api, db) = begin(&place, &[]).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(Listener::begin(&api).await);
    }
    let load = Load::default();
    let writers = load.start(&api, WRITERS);
    eventually("everybody was told", async || streams.iter().all(|stream| !stream.told().is_empty())).await;
    load.goes_on().await;
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0), "it ends by itself");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "well before the deadline for what runs: {took:?}");
    load.end(writers).await;
    load.compare("SIGTERM under load and 8 streams", &db, api.workspace, &[503]).await;
    db.close().await;
    let mut heard = 0;
    let mut first = None;
    for stream in streams {
        let events = stream.told();
        heard += events.len();
        first = first.or_else(|| events.into_iter().next());
        assert!(stream.reading.await.unwrap(), "a stream is ended, not cut off");
    }

    // A reader that resumes after one of the streams gets every event of an acknowledged call.
    let server = place.start(&["--demo"]);
    let client = reqwest::Client::new();
    let api = Api::new(&client, &server, folder.path(), "owner");
    let (id, name) = first.expect("somebody was told of something");
    let mut stream = api.stream("/v1/events?types=agent.created", Some(&id)).await;
    let mut missing = load.acknowledged.lock().unwrap().clone();
    missing.remove(&name);
    let mut bytes = Vec::new();
    while !missing.is_empty() {
        let more = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await;
        let more = more.unwrap_or_else(|_| panic!("acknowledged and not told: {missing:?}"));
        bytes.extend(more.unwrap().expect("the stream goes on"));
        // The rest is the beginning of an event.
        let whole = bytes.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |end| end + 2);
        let events: Vec<u8> = bytes.drain(..whole).collect();
        for (_, name) in told(std::str::from_utf8(&events).unwrap()) {
            missing.remove(&name);
        }
    }
    println!(
        "SIGTERM: 8 streams ended in order after {heard} events, in {took:?}; \
         the rest was told after the start"
    );
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_hangs_is_cut_off_at_the_deadline() {
    let (folder, database) = (folder(), toolcrib_testkit::postgres().await);
    let place = Place::new(folder.path(), &database);
    let (server, api, db) = begin(&place, &["--drain-seconds", "1"]).await;
    let lock = database.open_transaction("LOCK TABLE agents IN SHARE ROW EXCLUSIVE MODE").await;
    let load = Load::default();
    let writers = load.start(&api, 4);
    eventually("the calls hang", async || database.number(WAITING).await >= 4).await;
    let begun = Instant::now();
    server.stop();
    let took = begun.elapsed();
    lock.release().await;
    load.end(writers).await;
    assert!(took < Duration::from_secs(6), "{took:?}");
    load.compare(&format!("4 calls that hang, SIGTERM: over after {took:?}"), &db, api.workspace, &[503])
        .await;
    db.close().await;
}

/// The number of PostgreSQL sessions that wait for a lock.
pub const WAITING: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";
