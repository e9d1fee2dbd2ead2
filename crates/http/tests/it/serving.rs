//! Connections over real sockets: clients that are silent, send slowly, do not read, or are too many.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, routing::get};
use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{Notify, mpsc, watch},
    task::JoinHandle,
    time::{MissedTickBehavior, interval, timeout},
};
use toolcrib_http::{
    EdgeOptions,
    serve::{ConnectionLimits, SPARE, Served, serve},
};
use toolcrib_testkit::{TestDb, both_databases, eventually};

use crate::harness::App;

/// Long enough for any machine. A test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_mins(1);
/// A limit that no test reaches.
const LONG: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_millis(150);
const BOUNDS: ConnectionLimits = ConnectionLimits { connections: 100, head: LONG, idle: LONG, write: LONG };

struct Server {
    address: SocketAddr,
    end: watch::Sender<bool>,
    over: JoinHandle<()>,
}

async fn start(served: Served, bounds: ConnectionLimits) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ending) = watch::channel(false);
    Server { address, end, over: tokio::spawn(serve(listener, served, bounds, ending)) }
}

async fn plain(router: Router, bounds: ConnectionLimits) -> Server {
    start(Served { full: router, spare: Router::new() }, bounds).await
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn ask(&self, path: &str) -> (TcpStream, String) {
        let mut client = self.connect().await;
        let answer = ask(&mut client, path).await;
        (client, answer)
    }
}

/// Sends a request and reads a response that has a length.
async fn ask(client: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    answer(client).await
}

async fn answer(client: &mut TcpStream) -> String {
    let mut text = String::new();
    let whole = |text: &str| {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let lower = head.to_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        (body.len() == length.parse::<usize>().ok()?).then_some(())
    };
    while whole(&text).is_none() {
        let mut bytes = [0; 4_096];
        let read = timeout(PATIENCE, client.read(&mut bytes)).await.expect("an answer").unwrap();
        assert_ne!(read, 0, "the connection ended after {text:?}");
        text.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
    }
    text
}

/// Waits until the server ends the connection.
async fn ends(client: &mut TcpStream) {
    let mut bytes = vec![0; 65_536];
    let over = async { while !matches!(client.read(&mut bytes).await, Ok(0) | Err(_)) {} };
    timeout(PATIENCE, over).await.expect("the server ends the connection");
}

#[tokio::test]
async fn a_client_that_sends_no_head_is_ended() {
    let router = Router::new().route("/", get(async || "ok"));
    let server = plain(router, ConnectionLimits { head: SHORT, ..BOUNDS }).await;
    let (mut silent, mut half) = (server.connect().await, server.connect().await);
    half.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut dripping = server.connect().await;
    let drips = async {
        // Each byte arrives long before the limit, but the head never ends. Sends one more byte unless the
        // server has ended the connection meanwhile.
        while dripping.write_all(b"x").await.is_ok()
            && timeout(SHORT / 10, ends(&mut dripping)).await.is_err()
        {}
    };
    timeout(PATIENCE, drips).await.expect("drops do not buy time");
    ends(&mut silent).await;
    ends(&mut half).await;
    // A second head has the same time as the first, but the time starts with its first byte.
    let (mut kept, text) = server.ask("/").await;
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    ends(&mut server.connect().await).await;
    assert!(ask(&mut kept, "/").await.ends_with("ok"), "it was idle for longer than a head may take");
    kept.write_all(b"GET / HT").await.unwrap();
    ends(&mut kept).await;
}

#[tokio::test]
async fn a_head_weighs_no_more_than_64_kib() {
    let server = plain(Router::new().route("/", get(async || "ok")), BOUNDS).await;
    let frame = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Filler: \r\n\r\n".len();
    for (weight, status) in [(65_536, 200), (65_537, 431), (67_000, 431), (90_000, 431), (200_000, 431)] {
        let filler = "x".repeat(weight - frame);
        let request = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Filler: {filler}\r\n\r\n");
        let mut client = server.connect().await;
        // The server may refuse early and close the connection while the client still sends.
        drop(client.write_all(request.as_bytes()).await);
        let answer = answer(&mut client).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{weight}: {answer}");
    }
}

#[tokio::test]
async fn an_idle_connection_ends_and_one_whose_request_runs_does_not() {
    let go_on = Arc::new(Notify::new());
    let told = Arc::clone(&go_on);
    let slow = async move || {
        told.notified().await;
        "done"
    };
    let router = Router::new().route("/", get(async || "ok")).route("/slow", get(slow));
    let server = plain(router, ConnectionLimits { idle: SHORT, head: SHORT, write: SHORT, ..BOUNDS }).await;
    let mut waiting = server.connect().await;
    waiting.write_all(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let (mut idle, text) = server.ask("/").await;
    assert!(text.ends_with("ok"));
    ends(&mut idle).await;
    ends(&mut server.connect().await).await;
    go_on.notify_one();
    assert!(answer(&mut waiting).await.ends_with("done"));
    ends(&mut waiting).await;
}

/// Sends a message when it is dropped.
struct Told(mpsc::UnboundedSender<()>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_ended() {
    let (send, mut dropped) = mpsc::unbounded_channel();
    let endless = move || {
        let told = Told(send.clone());
        let parts = stream::repeat_with(move || {
            let _held = &told;
            Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 16_384]))
        });
        async move { Body::from_stream(parts) }
    };
    let large = get(async || vec![b'x'; 64 * 1024 * 1024]);
    let router = Router::new().route("/stream", get(endless)).route("/large", large);
    let server = plain(router, ConnectionLimits { write: SHORT, ..BOUNDS }).await;
    let deaf = async |path: &str| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        let mut client = socket.connect(server.address).await.unwrap();
        client.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
        client
    };
    let _stream = deaf("/stream").await;
    timeout(PATIENCE, dropped.recv()).await.expect("the stream ends while nobody reads");
    let mut large = deaf("/large").await;
    // The client must not read, so it finds the end by writing: a connection that the server has ended
    // answers with a reset.
    eventually("the server gives up", async || large.write_all(b"x").await.is_err()).await;
    assert!(!server.over.is_finished());
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_all_of_it() {
    let size = 8 * 1024 * 1024;
    let router = Router::new().route("/", get(async move || vec![b'x'; size]));
    let server = plain(router, ConnectionLimits { write: Duration::from_secs(5), ..BOUNDS }).await;
    let mut client = server.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    // The client reads a piece at each tick, so the server has to wait for it again and again.
    let (mut read, mut bytes, mut beat) = (0, vec![0; 262_144], interval(Duration::from_millis(5)));
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while read < size {
        beat.tick().await;
        read += timeout(PATIENCE, client.read(&mut bytes)).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_end_lets_running_requests_end_and_drops_idle_connections() {
    let (go_on, began) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, begins) = (Arc::clone(&go_on), Arc::clone(&began));
    let slow = async move || {
        begins.notify_one();
        told.notified().await;
        "done"
    };
    let router = Router::new().route("/", get(async || "ok")).route("/slow", get(slow));
    let server = plain(router, BOUNDS).await;
    let (mut idle, _) = server.ask("/").await;
    let mut waiting = server.connect().await;
    waiting.write_all(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    timeout(PATIENCE, began.notified()).await.unwrap();
    server.end.send_replace(true);
    ends(&mut idle).await;
    assert!(!server.over.is_finished());
    go_on.notify_one();
    assert!(answer(&mut waiting).await.ends_with("done"));
    timeout(PATIENCE, server.over).await.unwrap().unwrap();
}

#[both_databases]
async fn beyond_the_cap_health_is_answered_and_nothing_else(db: TestDb) {
    let app = App::new(db).await;
    let served = Served { full: app.router.clone(), spare: app.spare.clone() };
    let server = start(served, ConnectionLimits { connections: 2, ..BOUNDS }).await;
    let (first, text) = server.ask("/v1/me").await;
    assert!(text.starts_with("HTTP/1.1 401"), "{text}");
    let (_second, _) = server.ask("/healthz").await;
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/v1/me", 503), ("/docs", 503)] {
        let (mut third, text) = server.ask(path).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {text}");
        assert_eq!(text.contains("\"code\":\"overloaded\""), status == 503);
        ends(&mut third).await;
    }
    let mut held = Vec::new();
    for _ in 0..SPARE {
        held.push(server.connect().await);
    }
    // A connection beyond the limit ends soon, so that others get its place.
    assert!(server.ask("/healthz").await.1.starts_with("HTTP/1.1 200"));
    drop((first, held));
    let served = async || server.ask("/v1/me").await.1.starts_with("HTTP/1.1 401");
    eventually("a place that became free is a full one", served).await;
}

#[both_databases]
async fn a_body_that_does_not_arrive_is_given_up(db: TestDb) {
    let app = App::edged(db, EdgeOptions { body_time: SHORT, ..EdgeOptions::default() }).await;
    let pieces = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"{\"limit\":"))]);
    let never = futures_util::StreamExt::chain(pieces, stream::pending());
    let path = "/v1/actions/platform_list_agents";
    let owner = app.owner();
    let sent = owner.raw("POST", path, Some("application/json"), Body::from_stream(never));
    let refused = timeout(PATIENCE, sent.boxed()).await.expect("in time");
    assert_eq!(refused.header("connection"), "close");
    let problem = refused.problem(400, "malformed_request");
    assert_eq!(problem["detail"], "the body did not arrive in time");
}
