//! What clients without any right can do, and what it costs a known caller: silent sockets, streams that
//! nobody reads, invalid credentials.
//!
//! A short run, or a long one with `SOAK=1`. Prints the counts.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};
use toolcrib_testkit::{eventually, soak};

use crate::{
    api::Api,
    binary::{Server, folder},
    load::begin,
    place::Place,
};

/// The number of files that the service may open for itself meanwhile.
const SLACK: usize = 8;

/// Reads of a known caller, each of which must be answered. Returns how long they took, sorted.
async fn known(api: &Api, calls: usize) -> Vec<Duration> {
    let mut took = Vec::new();
    for _ in 0..calls {
        let begun = Instant::now();
        api.post("/v1/actions/platform_list_agents", &json!({}), 200).await;
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    took
}

fn figures(took: &[Duration]) -> String {
    let at = |percent: usize| took[(took.len() * percent / 100).min(took.len() - 1)];
    format!("{} calls, p50 {:?}, p99 {:?}", took.len(), at(50), at(99))
}

/// A demo with high limits for its callers.
async fn scene(args: &[&str]) -> (tempfile::TempDir, Server, Api) {
    let folder = folder();
    let (server, api, db) = begin(&Place::at(folder.path(), None), args).await;
    db.close().await;
    (folder, server, api)
}

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.base().trim_start_matches("http://")).await.unwrap()
}

/// Reads and discards until the server ends the connection.
async fn ended(mut client: TcpStream) {
    let mut bytes = [0; 4_096];
    while !matches!(client.read(&mut bytes).await, Ok(0) | Err(_)) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_sockets_soak() {
    let (_folder, server, api) =
        scene(&["--max-connections", "64", "--header-seconds", "4", "--idle-seconds", "600"]).await;
    // The caller connects before the silent sockets do.
    let alone = known(&api, soak(100, 5_000)).await;
    let before = server.open_files();
    let sockets = soak(200, 2_000);
    let begun = Instant::now();
    let mut silent = Vec::new();
    for n in 0..sockets {
        let mut client = connect(&server).await;
        if n % 2 == 0 {
            client.write_all(b"GET /healthz HTTP/1.1\r\nHost: si").await.unwrap();
        }
        silent.push(tokio::spawn(ended(client)));
    }
    let beside = known(&api, soak(100, 5_000)).await;
    for client in silent {
        tokio::time::timeout(Duration::from_mins(5), client).await.expect("the server ends it").unwrap();
    }
    let over = begun.elapsed();
    eventually("the sockets are gone", async || server.open_files() <= before + SLACK).await;
    println!(
        "silent sockets: {sockets}, 64 connections at a time, all ended after {over:?}; \
         {before} files open before and {} after; a known caller alone: {}; beside them: {}",
        server.open_files(),
        figures(&alone),
        figures(&beside)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_streams_and_junk_tokens_soak() {
    let streams = soak(40, 200);
    let most = streams.to_string();
    let (_folder, server, api) = scene(&["--streams-per-principal", &most, "--write-seconds", "1"]).await;
    unread_streams(&server, &api, streams).await;
    junk_tokens(&server, &api).await;
}

async fn unread_streams(server: &Server, api: &Api, streams: usize) {
    let alone = known(api, soak(100, 5_000)).await;
    let ask = String::from_utf8(api.bytes("/v1/events", &json!({}))).unwrap();
    let head: Vec<&str> = ask.split("\r\n").filter(|line| !line.starts_with("Content-")).collect();
    let ask = format!("{}\r\n\r\n", head[..4].join("\r\n").replacen("POST", "GET", 1));
    let before = server.open_files();
    let mut deaf = Vec::new();
    for _ in 0..streams {
        let mut client = connect(server).await;
        client.write_all(ask.as_bytes()).await.unwrap();
        let mut bytes = [0; 1_024];
        let read = client.read(&mut bytes).await.unwrap();
        assert!(bytes[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&bytes[..read]));
        deaf.push(client);
    }
    let mut written = 0;
    for n in 0..soak(20, 20_000) {
        let body = json!({ "name": format!("told-{n}") });
        api.post("/v1/actions/platform_create_agent", &body, 200).await;
        written += 1;
    }
    let beside = known(api, soak(100, 5_000)).await;
    drop(deaf);
    eventually("the streams are gone", async || server.open_files() <= before + SLACK).await;
    println!(
        "unread streams: {streams}, {written} events for each; a known caller alone: {}; beside them: {}",
        figures(&alone),
        figures(&beside)
    );
}

/// Clients that send well-formed keys that do not exist and tokens with invalid signatures, as fast as they
/// are answered.
struct Junk {
    over: Arc<AtomicBool>,
    answers: Arc<Mutex<BTreeMap<u16, usize>>>,
    clients: Vec<JoinHandle<()>>,
}

impl Junk {
    fn start(base: &str, clients: usize) -> Self {
        let (over, answers) =
            (Arc::new(AtomicBool::new(false)), Arc::<Mutex<BTreeMap<u16, usize>>>::default());
        let client = |who: usize| {
            let (over, answers, base) = (over.clone(), answers.clone(), base.to_owned());
            tokio::spawn(async move {
                let client = reqwest::Client::new();
                for n in 0_u64.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let token = match n % 2 {
                        0 => format!("tc_{:016x}{n:016x}_{}", who, "A".repeat(43)),
                        _ => format!("eyJhbGciOiJFZERTQSJ9.e30.{}{n:x}", "A".repeat(80)),
                    };
                    if let Ok(answer) = client.get(format!("{base}/v1/me")).bearer_auth(token).send().await {
                        *answers.lock().unwrap().entry(answer.status().as_u16()).or_default() += 1;
                    }
                }
            })
        };
        let clients = (0..clients).map(client).collect();
        Self { over, answers, clients }
    }

    async fn end(self) -> BTreeMap<u16, usize> {
        self.over.store(true, Ordering::Relaxed);
        for client in self.clients {
            client.await.unwrap();
        }
        self.answers.lock().unwrap().clone()
    }
}

async fn junk_tokens(server: &Server, api: &Api) {
    let alone = known(api, soak(200, 20_000)).await;
    let junk = Junk::start(&server.base(), 32);
    let answers = junk.answers.clone();
    let refused = |status: u16| answers.lock().unwrap().get(&status).copied().unwrap_or_default();
    eventually("the failures are used up", async || refused(429) > 0).await;
    let beside = known(api, soak(200, 20_000)).await;
    // A new credential is accepted from the same address.
    let body = json!({"kind": "service", "name": "new", "role": "viewer", "scopes": ["*:read"]});
    let made = api.post("/v1/keys", &body, 201).await;
    let client = reqwest::Client::new();
    let begun = Instant::now();
    let new = client.get(format!("{}/v1/tools", server.base())).bearer_auth(made["secret"].as_str().unwrap());
    assert_eq!(new.send().await.unwrap().status().as_u16(), 200);
    let took = begun.elapsed();
    let answers = junk.end().await;
    assert!(answers.keys().all(|status| [401, 429].contains(status)), "{answers:?}");
    println!(
        "junk tokens: {answers:?} from 32 clients; a new key was accepted after {took:?}; \
         a known caller alone: {}; beside them: {}",
        figures(&alone),
        figures(&beside)
    );
}
