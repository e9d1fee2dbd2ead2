//! Streams that end before the response, and are continued.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::{Method, StatusCode},
    response::{IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, stream};
use serde_json::{Map, Value, json};
use toolcrib_connectors::{
    mcp_client::{McpCall, McpError, McpResult, McpSession},
    upstream::SendError,
};

use super::{
    TIMEOUT, call, client, endpoint,
    fake::{Asked, Fake, event, event_stream, json_body},
};

/// What a server does with the call and with each of the requests after it. `None` is the response to the
/// call.
type Part = Option<Response>;

fn part(stream: &'static str) -> impl Fn() -> Part + Send + Sync {
    move || Some(event_stream(stream))
}

fn response() -> Part {
    None
}

/// A stream whose connection breaks.
fn broken() -> Response {
    let parts = [Ok(Bytes::from_static(b"id: 1\nretry: 50\n\n")), Err(std::io::Error::other("cut"))];
    // What was written is flushed while the rest is waited for.
    let parts = stream::iter(parts).then(async |part| {
        tokio::task::yield_now().await;
        part
    });
    let body = Body::from_stream(parts);
    ([("content-type", "text/event-stream")], body).into_response()
}

/// Calls a tool of a server that answers in these parts, and returns what it was asked after the call: the
/// method, `Last-Event-ID` and the id of the session.
async fn called(
    parts: Vec<Box<dyn Fn() -> Part + Send + Sync>>,
    timeout: Duration,
) -> (Result<McpResult, McpError>, Vec<(Method, String, String)>) {
    let (parts, state) = (Arc::new(parts), Arc::new(Mutex::new((0, Value::Null))));
    let server = Fake::after_handshake(Some("s1"), move |asked: &Asked| {
        let mut state = state.lock().unwrap();
        if asked.method() == "tools/call" {
            state.1 = asked.message["id"].clone();
        }
        state.0 += 1;
        let last = parts.len() - 1;
        parts[last.min(state.0 - 1)]().unwrap_or_else(|| {
            let result = json!({"content": [{"type": "text", "text": "done"}]});
            event_stream(event(&json!({"jsonrpc": "2.0", "id": state.1, "result": result})))
        })
    })
    .await;
    let client = client();
    let endpoint = endpoint(&client, &server.url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let arguments = Map::new();
    let found = session.call_tool(&endpoint, McpCall { timeout, ..call("create_issue", &arguments) }).await;
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 1);
    let asked = server.asked().into_iter().skip_while(|asked| asked.method() != "tools/call").skip(1);
    let header = |asked: &Asked, name: &str| {
        asked.headers.get(name).map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    };
    let asked = asked.map(|asked| {
        let (last_event, session) = (header(&asked, "last-event-id"), header(&asked, "mcp-session-id"));
        (asked.http_method, last_event, session)
    });
    (found, asked.collect())
}

#[tokio::test]
async fn a_stream_that_ends_before_the_response_is_continued() {
    let (found, asked) = called(
        vec![
            Box::new(part("id: 1\nretry: 50\ndata:\n\n")),
            Box::new(part("id: 2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")),
            Box::new(part("")),
            Box::new(response),
        ],
        TIMEOUT,
    )
    .await;
    assert_eq!(found.unwrap().text, "done");
    let expected = ["1", "2", "2"].map(|id| (Method::GET, id.to_owned(), "s1".to_owned()));
    assert_eq!(asked, expected);
    let (found, asked) =
        called(vec![Box::new(|| Some(broken())), Box::new(|| Some(broken())), Box::new(response)], TIMEOUT)
            .await;
    assert_eq!((found.unwrap().text.as_str(), asked.len()), ("done", 2));
}

#[tokio::test]
async fn a_stream_that_can_not_be_continued_leaves_the_call_unknown() {
    let first = || Box::new(part("id: 1\nretry: 50\n\n")) as Box<dyn Fn() -> Part + Send + Sync>;
    for (parts, requests) in [
        (vec![Box::new(part("data: {}\n\n")) as Box<dyn Fn() -> Part + Send + Sync>], 0),
        (vec![first(), Box::new(|| Some(StatusCode::METHOD_NOT_ALLOWED.into_response()))], 1),
        (vec![first(), Box::new(|| Some(StatusCode::NOT_FOUND.into_response()))], 1),
        (vec![first(), Box::new(|| Some(json_body(&json!({}))))], 1),
    ] {
        let (found, asked) = called(parts, TIMEOUT).await;
        let error = found.unwrap_err();
        assert!(matches!(error, McpError::Protocol(_)) && error.is_unknown(), "{error:?}");
        assert_eq!(asked.len(), requests);
    }
    let (found, asked) = called(vec![first()], Duration::from_millis(300)).await;
    let error = found.unwrap_err();
    assert_eq!((error.clone(), error.is_unknown()), (McpError::Send(SendError::TimedOut), true));
    assert!((2..=6).contains(&asked.len()), "{asked:?}");
}
