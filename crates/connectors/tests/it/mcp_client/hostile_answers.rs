//! Answers to a call that do not follow the protocol.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, stream};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use toolcrib_connectors::{
    mcp_client::{McpCall, McpEndpoint, McpError, McpSession},
    upstream::{SendError, UnreadBody, UpstreamCredential},
};

use super::{
    TIMEOUT, call, call_once, client, endpoint,
    fake::{Asked, Fake, event, event_stream, json_body},
};

fn done(asked: &Asked) -> Value {
    asked.success(&json!({"content": [{"type": "text", "text": "done"}]}))
}

async fn refusal(answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static) -> McpError {
    let server = Fake::after_handshake(None, answer).await;
    let error = call_once(&server.url).await.unwrap_err();
    let calls = server.methods().iter().filter(|method| *method == "tools/call").count();
    assert_eq!(calls, 1, "no call is repeated: {error:?}");
    error
}

/// A message with a result and this error.
fn both(asked: &Asked, error: &Value) -> Value {
    let mut message = done(asked);
    message["error"] = error.clone();
    message
}

/// What makes a response one is the request's id and its `result`.
#[tokio::test]
async fn a_response_with_a_result_is_one_however_it_comes() {
    let answers: [fn(&Asked) -> Response; 8] = [
        |asked| json_body(&both(asked, &Value::Null)),
        |asked| event_stream(event(&both(asked, &Value::Null))),
        |asked| event_stream(format!("data: {}\n", done(asked))),
        |asked| event_stream(format!("data: {}", done(asked))),
        |asked| ([("content-type", "")], done(asked).to_string()).into_response(),
        |asked| ([("content-type", "text/plain")], done(asked).to_string()).into_response(),
        |asked| ([("content-type", "application/json")], format!("\u{feff}{}", done(asked))).into_response(),
        |asked| (StatusCode::INTERNAL_SERVER_ERROR, json_body(&done(asked))).into_response(),
    ];
    for answer in answers {
        let server = Fake::after_handshake(None, answer).await;
        assert_eq!(call_once(&server.url).await.unwrap().text, "done");
    }
    let failed = refusal(|asked| {
        let mut message = asked.failure(7, "no");
        message["result"] = Value::Null;
        json_body(&message)
    });
    assert_eq!(failed.await, McpError::Rpc { code: 7, message: "no".to_owned() });
}

#[tokio::test]
async fn a_response_that_is_not_ours_leaves_a_call_unknown() {
    let other = |asked: &Asked| json!({"jsonrpc": "2.0", "id": "1", "result": done(asked)["result"]});
    let answers: [fn(&Asked) -> Response; 9] = [
        |asked| json_body(&both(asked, &json!({}))),
        |asked| json_body(&both(asked, &json!({"code": 1, "message": "x"}))),
        |asked| json_body(&json!({"jsonrpc": "2.0", "id": 999, "result": done(asked)["result"]})),
        |asked| event_stream(event(&json!({"jsonrpc": "2.0", "id": 999, "result": done(asked)["result"]}))),
        |asked| json_body(&json!({"jsonrpc": "2.0", "result": done(asked)["result"]})),
        |_| ([("content-type", "application/json")], "{\"jsonrpc\":\"2.0\",\"id\":").into_response(),
        |_| event_stream("data: {\"half\n\n"),
        |_| ([("content-type", "text/html")], "<html>log in</html>").into_response(),
        |_| StatusCode::ACCEPTED.into_response(),
    ];
    for answer in answers {
        let error = refusal(answer).await;
        assert!(matches!(error, McpError::Protocol(_)) && error.is_unknown(), "{error:?}");
    }
    let error = refusal(move |asked| json_body(&other(asked))).await;
    assert!(error.is_unknown(), "{error:?}");
}

#[tokio::test]
async fn other_messages_in_a_stream_are_ignored_and_not_answered() {
    let requests = |asked: &Asked| {
        let request = |method: &str| json!({"jsonrpc": "2.0", "id": asked.message["id"], "method": method});
        let noise = [
            request("sampling/createMessage"),
            request("elicitation/create"),
            request("roots/list"),
            request("ping"),
            json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}),
            json!({"jsonrpc": "2.0", "id": 77, "result": {}}),
        ];
        let noise: String = noise.iter().map(event).collect();
        format!(": hello\r\nid: 1\r\ndata:\r\n\r\nevent: ping\ndata: {{}}\n\n{noise}")
    };
    let server = Fake::after_handshake(None, move |asked| {
        event_stream(format!("{}{}", requests(asked), event(&done(asked))))
    })
    .await;
    assert_eq!(call_once(&server.url).await.unwrap().text, "done");
    assert!(server.asked().iter().all(|asked| asked.http_method == "POST"));
    let methods = server.methods();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/call"]);
    let batch = Fake::after_handshake(None, |asked| json_body(&json!([{"method": "x"}, done(asked)]))).await;
    assert_eq!(call_once(&batch.url).await.unwrap().text, "done");
}

/// A stream that goes on for ever is read until the response, and without one until the timeout or the limit.
#[tokio::test]
async fn an_endless_stream_is_read_as_far_as_needed() {
    let endless = |first: String| {
        let comments =
            stream::repeat(Bytes::from(format!(": {}\n\n", "x".repeat(64 * 1024)))).then(async |part| {
                tokio::task::yield_now().await;
                part
            });
        let parts = stream::once(std::future::ready(Bytes::from(first))).chain(comments);
        let body = Body::from_stream(parts.map(Ok::<_, std::io::Error>));
        ([("content-type", "text/event-stream")], body).into_response()
    };
    let server = Fake::after_handshake(None, move |asked| endless(event(&done(asked)))).await;
    assert_eq!(call_once(&server.url).await.unwrap().text, "done");
    let error = refusal(move |_| endless(String::new())).await;
    assert_eq!(error, McpError::Unread(UnreadBody::TooLarge(1024 * 1024)));
    let held = |_: &Asked| {
        let parts = stream::once(std::future::ready(Bytes::from_static(b": wait\n\n")));
        let body = Body::from_stream(parts.chain(stream::pending()).map(Ok::<_, std::io::Error>));
        ([("content-type", "text/event-stream")], body).into_response()
    };
    let server = Fake::after_handshake(None, held).await;
    let client = client();
    let endpoint = endpoint(&client, &server.url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let arguments = Map::new();
    let hurried = McpCall { timeout: Duration::from_millis(300), ..call("create_issue", &arguments) };
    let error = session.call_tool(&endpoint, hurried).await.unwrap_err();
    assert_eq!((error.clone(), error.is_unknown()), (McpError::Send(SendError::TimedOut), true));
}

#[tokio::test]
async fn refusals_say_whether_the_call_may_have_been_made() {
    for (status, unknown) in
        [(401, false), (403, false), (429, false), (500, false), (502, true), (504, true)]
    {
        let error = refusal(move |_| {
            let status = StatusCode::from_u16(status).unwrap();
            (status, [("retry-after", "7")], " no\u{202e} ").into_response()
        })
        .await;
        let message = "no\\u{202e}".to_owned();
        assert_eq!(error, McpError::Refused { status, retry_after: Some(7), message });
        assert_eq!(error.is_unknown(), unknown, "{status}");
    }
    for (status, unknown) in [(302, true), (303, true), (307, false)] {
        let error = refusal(move |_| {
            let status = StatusCode::from_u16(status).unwrap();
            (status, [("location", "http://169.254.169.254/")]).into_response()
        });
        let error = error.await;
        assert_eq!((error.is_unknown(), error), (unknown, McpError::Send(SendError::Redirect(status))));
    }
    let error = refusal(|asked| {
        (StatusCode::BAD_REQUEST, json_body(&asked.failure(-32_602, &"é".repeat(900)))).into_response()
    });
    let McpError::Rpc { code: -32_602, message } = error.await else { panic!("another error") };
    assert_eq!(message.chars().count(), 900);
    // An error that is longer than what is kept of a body is no JSON.
    let error = refusal(|asked| {
        (StatusCode::BAD_REQUEST, json_body(&asked.failure(1, &"x".repeat(5_000)))).into_response()
    });
    assert!(matches!(error.await, McpError::Refused { status: 400, .. }));
}

#[tokio::test]
async fn only_a_server_that_gave_a_session_can_end_it() {
    let no_session = |asked: &Asked| {
        let error =
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32_000, "message": "No session"}});
        let _ = asked;
        (StatusCode::BAD_REQUEST, json_body(&error)).into_response()
    };
    let wrong =
        |asked: &Asked| (StatusCode::BAD_REQUEST, json_body(&asked.failure(-32_602, "x"))).into_response();
    let gone = |_: &Asked| StatusCode::NOT_FOUND.into_response();
    let with = async |session: Option<&'static str>, answer: fn(&Asked) -> Response| {
        let server = Fake::after_handshake(session, answer).await;
        call_once(&server.url).await.unwrap_err()
    };
    assert_eq!(with(Some("s1"), gone).await, McpError::SessionEnded);
    assert_eq!(with(Some("s1"), no_session).await, McpError::SessionEnded);
    assert!(matches!(with(Some("s1"), wrong).await, McpError::Rpc { code: -32_602, .. }));
    assert!(matches!(with(None, gone).await, McpError::Refused { status: 404, .. }));
    assert!(matches!(with(None, no_session).await, McpError::Rpc { code: -32_000, .. }));
}

#[tokio::test]
async fn a_secret_that_comes_back_is_replaced() {
    let secret = "hunter2-hunter2";
    let echo = move |asked: &Asked| {
        let given = asked.headers["authorization"].to_str().unwrap().to_owned();
        let result = json!({"content": [{"type": "text", "text": given}], "structuredContent": {"k": given}});
        if asked.message["params"]["name"] == "stream" {
            return event_stream(event(&asked.success(&result)));
        }
        if asked.message["params"]["name"] == "refuse" {
            return (StatusCode::FORBIDDEN, given).into_response();
        }
        asked.result(&result)
    };
    let server = Fake::after_handshake(None, echo).await;
    let client = client();
    let credential = Some(UpstreamCredential::Bearer(SecretString::from(secret)));
    let endpoint = McpEndpoint { credential, ..endpoint(&client, &server.url) };
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    for name in ["json", "stream"] {
        let result = session.call_tool(&endpoint, call(name, &Map::new())).await.unwrap();
        assert_eq!(result.text, "Bearer •••");
        assert_eq!(result.structured, Some(json!({"k": "Bearer •••"})));
    }
    let error = session.call_tool(&endpoint, call("refuse", &Map::new())).await.unwrap_err();
    assert!(matches!(&error, McpError::Refused { message, .. } if message == "Bearer •••"), "{error:?}");
}
