//! What is kept of a response.

use secrecy::SecretString;
use toolcrib_connectors::upstream::{UnreadBody, UpstreamCredential, UpstreamSend};

use super::{
    client, post,
    server::{Script, Server, response},
};

#[tokio::test]
async fn a_success_has_its_body_and_type() {
    let server = Server::answering("201 Created", "content-type: application/json\r\n", br#"{"id":1}"#).await;
    let answer = client().send(post(&server.url)).await.unwrap();
    assert_eq!((answer.status, answer.content_type.as_deref()), (201, Some("application/json")));
    assert_eq!((&*answer.body, answer.truncated), (&br#"{"id":1}"#[..], false));
    let server =
        Server::answering("200 OK", "content-encoding: identity\r\n", &vec![b'a'; 1024 * 1024]).await;
    assert_eq!(client().send(post(&server.url)).await.unwrap().body.len(), 1024 * 1024);
}

/// The body of a success that came and is not kept leaves the success as it is.
#[tokio::test]
async fn a_success_that_is_not_kept_is_a_success() {
    let most = 1024 * 1024;
    for (head, body, unread) in [
        ("content-encoding: gzip\r\n", vec![0x1f, 0x8b], UnreadBody::Encoded(2)),
        ("", vec![b' '; most + 1], UnreadBody::TooLarge(most)),
        ("content-encoding: br\r\n", vec![b' '; most + 1], UnreadBody::TooLarge(most)),
    ] {
        let server = Server::answering("201 Created", head, &body).await;
        let answer = client().send(post(&server.url)).await.unwrap();
        assert_eq!((answer.status, answer.body.len(), answer.unread), (201, 0, Some(unread)));
    }
    assert_eq!(UnreadBody::Encoded(1).to_string(), "1 byte, compressed");
}

#[tokio::test]
async fn the_first_two_kib_of_an_error_are_kept() {
    let status = "429 Too Many Requests";
    let server = Server::answering(status, "retry-after: 7\r\n", &[b'a'; 5_000]).await;
    let answer = client().send(post(&server.url)).await.unwrap();
    assert_eq!((answer.status, answer.retry_after), (429, Some(7)));
    assert_eq!((answer.body.len(), answer.truncated), (2_048, true));
    let server = Server::answering("404 Not Found", "retry-after: soon\r\n", &[b'a'; 2_048]).await;
    let answer = client().send(post(&server.url)).await.unwrap();
    assert_eq!((answer.retry_after, answer.body.len(), answer.truncated), (None, 2_048, false));
}

#[tokio::test]
async fn a_wait_is_seconds_or_a_date() {
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (wait, seconds) in [
        ("30", Some(30)),
        ("0", Some(0)),
        ("1.5", Some(2)),
        ("0.001", Some(1)),
        ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30)),
        ("Sunday, 06-Nov-94 08:50:07 GMT", Some(30)),
        ("Sun Nov  6 08:50:07 1994", Some(30)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
        ("-1", None),
        ("1e300", None),
        ("NaN", None),
        ("soon", None),
        ("", None),
    ] {
        let head = format!("{date}retry-after: {wait}\r\n");
        let server = Server::answering("503 Service Unavailable", &head, b"").await;
        assert_eq!(client().send(post(&server.url)).await.unwrap().retry_after, seconds, "`{wait}`");
    }
}

/// The status of an error decides, whatever becomes of its body.
#[tokio::test]
async fn an_error_with_a_broken_body_is_an_error() {
    let head = "HTTP/1.1 409 Conflict\r\ncontent-length: 50\r\n\r\nhalf".as_bytes().to_vec();
    for (script, kept) in [
        (Script::Say(head.clone()), "half"),
        (Script::SayAndHold(head), "half"),
        (Script::Say(response("409 Conflict", "content-encoding: gzip\r\n", b"\x1f\x8b")), ""),
    ] {
        let server = Server::start(script).await;
        let answer = client().send(post(&server.url)).await.unwrap();
        assert_eq!((answer.status, answer.truncated), (409, true));
        assert_eq!(String::from_utf8(answer.body).unwrap(), kept);
    }
}

#[tokio::test]
async fn the_secret_that_was_sent_is_replaced_in_every_answer() {
    let secrets = ["hunter2-hunter2", "dXNlcjpodW50ZXIyLWh1bnRlcjI"];
    for status in ["200 OK", "403 Forbidden", "500 Internal Server Error"] {
        let server = Server::start(Script::Echo(status)).await;
        for credential in [
            UpstreamCredential::Bearer(SecretString::from(secrets[0])),
            UpstreamCredential::Header { name: "x-key".into(), value: SecretString::from(secrets[0]) },
            UpstreamCredential::Basic(SecretString::from(format!("user:{}", secrets[0]))),
        ] {
            let send = UpstreamSend { credential: Some(credential), ..post(&server.url) };
            let text = String::from_utf8(client().send(send).await.unwrap().body).unwrap();
            assert!(text.contains("•••") && text.contains("POST /v2/tickets"), "{text}");
            assert!(!secrets.iter().any(|secret| text.contains(secret)), "{text}");
        }
    }
}

#[tokio::test]
async fn a_secret_at_the_cut_and_in_the_type_is_replaced() {
    let secret = "hunter2-hunter2-hunter2";
    for before in [2_048 - 23, 2_048 - 10, 2_048 - 1] {
        let body = format!("{}{secret}{}", "a".repeat(before), "b".repeat(4_000));
        let headers = format!("content-type: text/{secret}\r\n");
        let server = Server::answering("400 Bad Request", &headers, body.as_bytes()).await;
        let credential = Some(UpstreamCredential::Bearer(SecretString::from(secret)));
        let answer = client().send(UpstreamSend { credential, ..post(&server.url) }).await.unwrap();
        assert_eq!(answer.content_type.as_deref(), Some("text/•••"));
        assert!(answer.truncated && answer.body.len() == 2_048);
        let kept = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(kept[..before].bytes().all(|byte| byte == b'a') && !kept[before..].contains('h'), "{kept}");
    }
}
