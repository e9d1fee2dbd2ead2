//! Whether a request that failed may have been processed.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use futures_util::future::BoxFuture;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    time::interval_at,
};
use toolcrib_connectors::{
    address_guard::HostLookup,
    upstream::{SendError, UnreadBody, UpstreamClient},
};
use toolcrib_testkit::outside::{Hostile, Wrong};

use super::{
    client, post,
    server::{Script, Server},
    settings,
};

#[tokio::test]
async fn a_request_that_reached_the_upstream_has_an_unknown_end() {
    let ok = "HTTP/1.1 200 OK\r\n";
    let say = |text: &str| Script::Say(text.as_bytes().to_vec());
    let hold = |text: &str| Script::SayAndHold(text.as_bytes().to_vec());
    for (script, expected) in [
        (Script::CloseAtOnce, SendError::Broken),
        (Script::CloseAfterRequest, SendError::Broken),
        (say("HTTP/1.1 200"), SendError::Broken),
        (say("220 mail.example ESMTP\r\n"), SendError::Broken),
        (
            say("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
            SendError::Broken,
        ),
        (say(&format!("{ok}content-length: 20\r\n\r\n{{\"half\":")), SendError::Broken),
        (say(&format!("{ok}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}")), SendError::Broken),
        (say(&format!("{ok}transfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n")), SendError::Broken),
        (say(&format!("{ok}transfer-encoding: chunked\r\n\r\nzz\r\n{{}}\r\n")), SendError::Broken),
        (hold(""), SendError::TimedOut),
        (hold(ok), SendError::TimedOut),
        (hold(&format!("{ok}content-length: 20\r\n\r\n{{\"half\":")), SendError::TimedOut),
        (say(&format!("{ok}content-encoding: gzip\r\ncontent-length: 20\r\n\r\nhalf")), SendError::Broken),
    ] {
        let server = Server::start(script.clone()).await;
        let error = client().send(post(&server.url)).await.unwrap_err();
        assert_eq!(error, expected, "{script:?}");
        assert!(error.is_unknown(), "{script:?}");
        let requests = usize::from(!matches!(script, Script::CloseAtOnce));
        assert_eq!((server.connections(), server.requests().len()), (1, requests), "{script:?}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_no_request() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let error = client().send(post(&format!("http://127.0.0.1:{port}/"))).await.unwrap_err();
    assert_eq!(error, SendError::NotConnected("it refused the connection"));
    assert!(!error.is_unknown() && !error.to_string().contains("127.0"), "{error}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for (status, is_unknown) in
        [(300, true), (301, true), (302, true), (303, true), (304, true), (307, false), (308, false)]
    {
        let target = Server::answering("200 OK", "", b"{}").await;
        for location in [target.url.as_str(), "http://169.254.169.254/latest/meta-data/"] {
            let head =
                format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
            let server = Server::start(Script::Say(head.into_bytes())).await;
            let error = client().send(post(&server.url)).await.unwrap_err();
            let expected = if status == 304 { SendError::NotModified } else { SendError::Redirect(status) };
            assert_eq!(error, expected);
            assert_eq!(error.is_unknown(), is_unknown, "{status}");
        }
        assert_eq!(target.connections(), 0);
    }
}

/// A resolver that answers with 127.0.0.1 after a time.
struct SlowLookup(Duration);

impl HostLookup for SlowLookup {
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<std::net::IpAddr>>> {
        let delay = self.0;
        Box::pin(async move {
            interval_at((Instant::now() + delay).into(), delay).tick().await;
            Ok(vec![[127, 0, 0, 1].into()])
        })
    }
}

fn slow(delay: Duration) -> UpstreamClient {
    UpstreamClient::with_lookup(settings(&["127.0.0.1", "slow.internal"], &[]), Arc::new(SlowLookup(delay)))
        .unwrap()
}

/// Connections that are still waiting when the server's queue is full.
async fn full_queue() -> (tokio::net::TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let shortest = 1;
    let listener = socket.listen(shortest).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await
    {
        waiting.push(stream.unwrap());
    }
    (listener, waiting)
}

#[tokio::test]
async fn connecting_ends_after_three_seconds_without_a_request() {
    let (queue, _waiting) = full_queue().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hung = slow(Duration::from_mins(10));
    let usual = client();
    let begun = Instant::now();
    let (by_name, by_queue, by_tls) = tokio::join!(
        hung.send(post("http://slow.internal/")),
        usual.send(post(&format!("http://{}/", queue.local_addr().unwrap()))),
        usual.send(post(&format!("https://{}/", silent.local_addr().unwrap()))),
    );
    for result in [by_name, by_queue, by_tls] {
        assert_eq!(result, Err(SendError::NotConnected("connecting took more than 3 seconds")));
    }
    let took = begun.elapsed();
    assert!(took > Duration::from_millis(2_900) && took < Duration::from_secs(8), "{took:?}");
}

#[tokio::test]
async fn the_time_limit_begins_with_the_connection() {
    let server = Server::answering("200 OK", "", b"{}").await;
    let url = server.url.replace("127.0.0.1", "slow.internal");
    // The look-up alone takes longer than the time limit.
    let answer = slow(Duration::from_millis(1_200)).send(post(&url)).await.unwrap();
    assert_eq!((answer.status, server.requests().len()), (200, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_cut_at_the_limit() {
    let hostile = Hostile::start(Wrong::Huge).await;
    let send = toolcrib_connectors::upstream::UpstreamSend {
        timeout: Duration::from_secs(20),
        ..post(&hostile.url)
    };
    let answer = client().send(send).await.unwrap();
    assert_eq!((answer.body.len(), answer.unread), (0, Some(UnreadBody::TooLarge(1024 * 1024))));
    let sent = hostile.sent.load(Ordering::SeqCst);
    assert!(sent < 17 * 1024 * 1024, "{sent}");
}

#[tokio::test]
async fn a_body_that_trickles_ends_in_time() {
    let hostile = Hostile::start(Wrong::Slow).await;
    let begun = Instant::now();
    assert_eq!(client().send(post(&hostile.url)).await, Err(SendError::TimedOut));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}
