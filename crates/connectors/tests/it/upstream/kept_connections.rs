//! Connections that are kept for further requests.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use secrecy::SecretString;
use toolcrib_connectors::upstream::{SendError, UpstreamClient, UpstreamCredential, UpstreamSend};
use toolcrib_testkit::eventually;

use super::{
    Names, client, get, post,
    server::{Script, Server, response},
    settings,
};

fn ok() -> Vec<u8> {
    response("200 OK", "content-type: application/json\r\n", b"{}")
}

async fn keeping() -> Server {
    Server::start(Script::Keep(ok())).await
}

fn bearer(token: &str) -> UpstreamCredential {
    UpstreamCredential::Bearer(SecretString::from(token))
}

fn header(name: &str, value: &str) -> UpstreamCredential {
    UpstreamCredential::Header { name: name.into(), value: SecretString::from(value) }
}

#[tokio::test]
async fn reads_share_a_connection_and_each_write_has_its_own() {
    let (server, client) = (keeping().await, client());
    for _ in 0..20 {
        assert_eq!(client.send(get(&server.url)).await.unwrap().status, 200);
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 20));
    for _ in 0..5 {
        assert_eq!(client.send(post(&server.url)).await.unwrap().status, 200);
    }
    assert_eq!((server.connections(), server.requests().len()), (6, 25));
    assert_eq!(client.send(get(&server.url)).await.unwrap().status, 200);
    assert_eq!(server.connections(), 6);
}

#[tokio::test]
async fn a_connection_is_used_for_one_upstream_and_one_credential() {
    let (server, client) = (keeping().await, client());
    let basic = UpstreamCredential::Basic(SecretString::from("user:secret-1"));
    let with = |credential| UpstreamSend { credential: Some(credential), ..get(&server.url) };
    let different = [
        get(&server.url),
        UpstreamSend { upstream: "other/helpdesk", ..get(&server.url) },
        with(bearer("secret-1")),
        with(bearer("secret-2")),
        with(header("x-key", "secret-1")),
        with(header("x-other", "secret-1")),
        with(basic),
        get(&server.url.replace("127.0.0.1", "localhost")),
    ];
    let names = Names::new(|_| vec!["127.0.0.1"]);
    let local = UpstreamClient::with_lookup(settings(&["127.0.0.1", "localhost"], &[]), names).unwrap();
    let expected = different.len();
    for (at, send) in different.into_iter().enumerate() {
        assert_eq!(local.send(send).await.unwrap().status, 200);
        assert_eq!(server.connections(), at + 1);
    }
    // A secret that is set again is that of before.
    for credential in [bearer("secret-1"), header("x-key", "secret-1")] {
        local.send(with(credential)).await.unwrap();
    }
    assert_eq!(server.connections(), expected);
    client.send(get(&server.url)).await.unwrap();
    assert_eq!(server.connections(), expected + 1);
}

#[tokio::test]
async fn a_service_that_closes_idle_connections_loses_no_request() {
    // Each response promises to keep the connection, and the server closes it.
    let closing = Server::answering("200 OK", "connection: keep-alive\r\n", b"{}").await;
    let client = client();
    for _ in 0..20 {
        assert_eq!(client.send(get(&closing.url)).await.unwrap().status, 200);
    }
    let all = join_all((0..10).map(|_| client.send(get(&closing.url)))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(closing.requests().len(), 30);
    let server = keeping().await;
    for round in 1..=5 {
        let all = join_all((0..4).map(|_| client.send(get(&server.url)))).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        assert_eq!(server.requests().len(), round * 4);
        server.close_all();
        eventually("the connections are closed", async || server.open() == 0).await;
    }
}

#[tokio::test]
async fn a_request_that_was_written_is_not_sent_again() {
    let server = Server::start(Script::CloseAtSecond(ok())).await;
    let client = client();
    assert_eq!(client.send(get(&server.url)).await.unwrap().status, 200);
    assert_eq!(client.send(get(&server.url)).await, Err(SendError::Broken));
    assert_eq!((server.connections(), server.requests().len()), (1, 2));
    assert_eq!(client.send(get(&server.url)).await.unwrap().status, 200);
}

#[tokio::test]
async fn what_was_not_read_of_a_response_is_no_part_of_the_next_one() {
    let client = client();
    let inner = response("200 OK", "", b"another response");
    for text in [
        response("302 Found", "location: /\r\n", &inner),
        response("200 OK", "content-encoding: gzip\r\n", &inner),
        response("404 Not Found", "", &inner.repeat(1_000)),
        response("200 OK", "connection: close\r\n", &inner),
    ] {
        let server = Server::start(Script::Keep(text)).await;
        let first = client.send(get(&server.url)).await;
        for at in 2..=4 {
            assert_eq!(client.send(get(&server.url)).await, first);
            assert_eq!(server.requests().len(), at);
        }
    }
}

#[tokio::test]
async fn idle_connections_are_few_and_end_soon() {
    let (server, client) = (keeping().await, client());
    let all = join_all((0..16).map(|_| client.send(get(&server.url)))).await;
    assert!(all.iter().all(Result::is_ok) && server.connections() > 8, "{}", server.connections());
    eventually("at most 8 are kept", async || server.open() <= 8).await;
    let begun = Instant::now();
    eventually("none is kept for long", async || server.open() == 0).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_request_on_a_kept_connection_has_its_own_time_limit() {
    let server = Server::start(Script::SayAndHold(ok())).await;
    let client = client();
    assert_eq!(client.send(get(&server.url)).await.unwrap().status, 200);
    let begun = Instant::now();
    assert_eq!(client.send(get(&server.url)).await, Err(SendError::TimedOut));
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(800) && took < Duration::from_millis(2_500), "{took:?}");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_name_is_looked_up_for_each_connection() {
    let server = keeping().await;
    let names = Names::new(|_| vec!["127.0.0.1"]);
    let lookups = names.clone();
    let lookups = || lookups.1.load(Ordering::SeqCst);
    let client = UpstreamClient::with_lookup(settings(&["upstream.internal"], &[]), names).unwrap();
    let url = server.url.replace("127.0.0.1", "upstream.internal");
    for expected in 1..=3 {
        for _ in 0..5 {
            assert_eq!(client.send(get(&url)).await.unwrap().status, 200);
        }
        assert_eq!((lookups(), server.connections()), (expected, expected));
        server.close_all();
        eventually("the connection is closed", async || server.open() == 0).await;
    }
}
