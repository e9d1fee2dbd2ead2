//! What the reads cost beside the services: the time of a call with one caller and that of the service
//! alone, and the rate with 64 callers beside that of a bare hello with 64 connections. Services, callers
//! and hello run in this process.
//!
//! On SQLite and on the PostgreSQL of `TEST_PG_URL`:
//! `scripts/services cargo run --profile bench-fast -p toolcrib-media --example media_floors`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

#[path = "../tests/it/fakes.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod fakes;
#[path = "../tests/it/house.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod house;

use std::time::Instant;

use axum::{Router, routing::get};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};
use toolcrib_testkit::{TestDb, postgres, sqlite};

use fakes::Fake;
use house::House;

const TIMES: usize = 1_000;
const CALLERS: usize = 64;
const EACH: usize = 100;

/// A connection that asks one path again and again.
struct Connection {
    stream: BufReader<TcpStream>,
    request: String,
}

impl Connection {
    async fn open(host: &str, path: &str, key: &str) -> Self {
        let stream = TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {host}\r\naccept: application/json\r\nx-api-key: {key}\r\n\r\n"
        );
        Self { stream: BufReader::new(stream), request }
    }

    async fn ask(&mut self) {
        self.stream.get_mut().write_all(self.request.as_bytes()).await.unwrap();
        let (mut line, mut length) = (String::new(), 0);
        while {
            line.clear();
            self.stream.read_line(&mut line).await.unwrap()
        } > 2
        {
            assert!(!line.starts_with("HTTP/1.1") || line.contains(" 200 "), "{line}");
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        self.stream.read_exact(&mut vec![0; length]).await.unwrap();
    }
}

/// The median and the 99th percentile of many times, in milliseconds.
async fn times(mut once: impl AsyncFnMut()) -> (f64, f64) {
    let mut taken = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let begun = Instant::now();
        once().await;
        taken.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    taken.sort_unstable_by(f64::total_cmp);
    (taken[TIMES / 2], taken[TIMES * 99 / 100])
}

/// What many callers do in a second, each one thing after the other.
async fn rate<T>(callers: Vec<T>, once: impl AsyncFn(&mut T)) -> f64 {
    let (begun, count) = (Instant::now(), callers.len() * EACH);
    join_all(callers.into_iter().map(async |mut caller| {
        for _ in 0..EACH {
            once(&mut caller).await;
        }
    }))
    .await;
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / begun.elapsed().as_secs_f64()
}

/// A read, the service that it asks, and what it asks there.
fn reads(house: &House) -> [(&'static str, Value, &Fake, &'static str); 3] {
    let (radarr, sonarr) = (&house.a.radarr, &house.a.sonarr);
    [
        ("media_search_movies", json!({ "query": "Arrival" }), radarr, "/api/v3/movie/lookup?term=Arrival"),
        ("media_search_series", json!({ "query": "Frieren" }), sonarr, "/api/v3/series/lookup?term=Frieren"),
        ("media_get_upcoming_movies", json!({}), radarr, "/api/v3/calendar?unmonitored=false"),
    ]
}

async fn measure(name: &str, db: TestDb, hello: f64) {
    let house = House::new(db).await;
    println!("{name}");
    for (action, arguments, fake, path) in reads(&house) {
        let call = async || {
            // The limits count calls of a minute.
            house.app.clock.advance(60);
            house.read(action, arguments.clone()).await;
        };
        let mut connection = Connection::open(&fake.host, path, &fake.key()).await;
        let alone = times(async || connection.ask().await).await;
        let whole = times(async || call().await).await;
        let called = rate(vec![(); CALLERS], async |()| call().await).await;
        println!("  {action}: {:.2} ms, p99 {:.2} ms", whole.0, whole.1);
        println!("    the service alone: {:.2} ms, p99 {:.2} ms", alone.0, alone.1);
        println!("    {CALLERS} callers: {called:.0} a second, {:.3} of the hello", called / hello);
    }
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let routes = Router::new().route("/", get(async || "hello"));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let connections = join_all((0..CALLERS).map(|_| Connection::open(&host, "/", ""))).await;
    let hello = rate(connections, async |connection| connection.ask().await).await;
    println!("a bare hello: {hello:.0} a second with {CALLERS} connections");
    measure("SQLite", sqlite().await, hello).await;
    measure("PostgreSQL", postgres().await, hello).await;
}
