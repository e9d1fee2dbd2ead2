//! What an upstream gets, and how often.

use std::time::Duration;

use futures_util::future::join_all;
use secrecy::SecretString;
use toolcrib_connectors::upstream::{Method, SendError, UpstreamCredential, UpstreamSend};

use super::{
    client, post,
    server::{Script, Server, response},
};

fn header(name: &str, value: &str) -> UpstreamCredential {
    UpstreamCredential::Header { name: name.into(), value: SecretString::from(value.to_owned()) }
}

#[tokio::test]
async fn only_our_headers_and_those_of_the_request_are_sent() {
    let server = Server::answering("200 OK", "set-cookie: a=b\r\n", b"{}").await;
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers =
        [own("X-Page", "2"), own("Accept", "text/html"), own("user-agent", "x"), own("traceparent", "x")];
    let client = client();
    for credential in [
        UpstreamCredential::Bearer(SecretString::from("t0ken-4711")),
        header("X-Api-Key", "k3y-4711"),
        UpstreamCredential::Basic(SecretString::from("user:password")),
    ] {
        let send = UpstreamSend {
            headers: &headers,
            credential: Some(credential),
            traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            ..post(&server.url)
        };
        client.send(send).await.unwrap();
    }
    client.send(UpstreamSend { method: Method::GET, body: None, ..post(&server.url) }).await.unwrap();
    let host = server.url.split('/').nth(2).unwrap().to_owned();
    let sent: Vec<Vec<String>> = server
        .requests()
        .iter()
        .map(|request| {
            let mut lines: Vec<_> = request.lines().map(|line| line.replace(&host, "HOST")).collect();
            lines[1..].sort();
            lines
        })
        .collect();
    let all = ["accept: application/json, text/*;q=0.5", "accept-encoding: identity"];
    let agent = concat!("user-agent: toolcrib/", env!("CARGO_PKG_VERSION"));
    let trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let body = ["content-length: 12", "content-type: application/json"];
    for (lines, secret) in sent.iter().zip([
        "authorization: Bearer t0ken-4711",
        "x-api-key: k3y-4711",
        "authorization: Basic dXNlcjpwYXNzd29yZA==",
    ]) {
        let mut expected = vec!["", "host: HOST", agent, secret, trace, "x-page: 2", "{\"note\":\"x\"}"];
        expected.extend(all.into_iter().chain(body));
        expected.sort_unstable();
        expected.insert(0, "POST /v2/tickets HTTP/1.1");
        assert_eq!(*lines, expected);
    }
    let expected = ["GET /v2/tickets HTTP/1.1", all[1], all[0], "host: HOST", agent];
    assert_eq!(sent[3].iter().filter(|line| !line.is_empty()).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn headers_and_credentials_that_cant_be_sent_are_errors_before_the_request() {
    let server = Server::answering("200 OK", "", b"{}").await;
    let mut refused = Vec::new();
    for (name, value) in [
        ("x-a", "1\r\nx-b: 2"),
        ("x-a", "1\n2"),
        ("x\r\n", "1"),
        ("Content-Length", "1"),
        ("Host", "a"),
        ("x", "\0"),
    ] {
        let headers = [(name.to_owned(), value.to_owned())];
        let send = UpstreamSend { headers: &headers, ..post(&server.url) };
        refused.push(client().send(send).await.unwrap_err());
    }
    let secret = |text: &str| SecretString::from(text.to_owned());
    for credential in [
        UpstreamCredential::Bearer(secret("hunter2\r\nx: y")),
        UpstreamCredential::Bearer(secret("")),
        UpstreamCredential::Bearer(secret(" hunter2")),
        UpstreamCredential::Bearer(secret("hunter2\u{e9}")),
        UpstreamCredential::Basic(secret("hunter2")),
        UpstreamCredential::Basic(secret("user:hunter2\n")),
        header("host", "hunter2"),
        header("x y", "hunter2"),
        header("Accept", "hunter2"),
        header("x-key", "hunter2\n"),
    ] {
        let send = UpstreamSend { credential: Some(credential), ..post(&server.url) };
        refused.push(client().send(send).await.unwrap_err());
    }
    for error in refused {
        assert!(matches!(error, SendError::Request(_)) && !error.is_unknown(), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn each_write_is_sent_once_on_its_own_connection() {
    // Each response promises to keep the connection, and the server closes it.
    let closing = Server::answering("200 OK", "connection: keep-alive\r\n", b"{}").await;
    let keeping =
        Server::start(Script::SayAndHold(response("200 OK", "connection: keep-alive\r\n", b"{}"))).await;
    let client = client();
    for server in [&closing, &keeping] {
        for _ in 0..20 {
            assert_eq!(client.send(post(&server.url)).await.unwrap().status, 200);
        }
        let all = join_all((0..10).map(|_| client.send(post(&server.url)))).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        assert_eq!((server.connections(), server.requests().len()), (30, 30));
    }
}

#[tokio::test]
async fn sixteen_requests_to_one_upstream_are_open_at_once() {
    let server = Server::start(Script::SayAndHold(Vec::new())).await;
    let client = client();
    let long = || UpstreamSend { timeout: Duration::from_mins(1), ..post(&server.url) };
    let open: Vec<_> = (0..16)
        .map(|_| {
            let (client, send) = (client.clone(), long());
            tokio::spawn(async move { client.send(send).await })
        })
        .collect();
    while server.requests().len() < 16 {
        tokio::task::yield_now().await;
    }
    let busy = client.send(long()).await.unwrap_err();
    assert!(matches!(busy, SendError::Busy(_)) && !busy.is_unknown(), "{busy:?}");
    let other = UpstreamSend { upstream: "w/other", ..post(&server.url) };
    assert_eq!(client.send(other).await, Err(SendError::TimedOut), "another upstream has its own limit");
    // A caller that goes away gives its place back.
    for task in open {
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    }
    assert_eq!(client.send(post(&server.url)).await, Err(SendError::TimedOut));
    assert_eq!(server.requests().len(), 18);
}
