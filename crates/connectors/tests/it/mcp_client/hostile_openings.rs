//! Servers that do not open a session as the protocol says.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use toolcrib_connectors::{
    mcp_client::{McpError, McpSession},
    upstream::{SendError, UnreadBody},
};

use super::{
    TIMEOUT, client, endpoint,
    fake::{Asked, Fake, json_body},
};

async fn open(
    answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static,
) -> (Result<McpSession, McpError>, Vec<String>) {
    let server = Fake::start(answer).await;
    let client = client();
    let opened = McpSession::open(&endpoint(&client, &server.url), TIMEOUT).await;
    (opened, server.methods())
}

fn initialized(asked: &Asked) -> Response {
    asked.handshake(None).unwrap()
}

/// Whatever a server without `server/discover` says to it, `initialize` follows.
#[tokio::test]
async fn a_server_that_does_not_know_discover_is_initialized() {
    let answers: [fn(&Asked) -> Response; 9] = [
        |asked| json_body(&asked.failure(-32_601, "unknown method")),
        |asked| (StatusCode::NOT_FOUND, json_body(&asked.failure(-32_601, "x"))).into_response(),
        |asked| (StatusCode::BAD_REQUEST, json_body(&asked.failure(-32_022, "version"))).into_response(),
        |_| (StatusCode::BAD_REQUEST, "Bad Request: No valid session ID provided").into_response(),
        |_| StatusCode::NOT_FOUND.into_response(),
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |_| StatusCode::ACCEPTED.into_response(),
        |asked| asked.result(&json!({"supportedVersions": ["2025-11-25", "2030-01-01"]})),
        |asked| asked.result(&json!({})),
    ];
    for answer in answers {
        let (opened, methods) = open(move |asked| match asked.method() {
            "server/discover" => answer(asked),
            _ => initialized(asked),
        })
        .await;
        assert_eq!(opened.unwrap().server(), "forge 1");
        assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
    }
}

/// Another method could not help: the credential is refused, or the server says no in the newest revision.
#[tokio::test]
async fn a_refusal_of_discover_is_the_error() {
    for status in [401, 403, 429] {
        let (opened, methods) = open(move |_| StatusCode::from_u16(status).unwrap().into_response()).await;
        assert!(matches!(opened, Err(McpError::Refused { status: given, .. }) if given == status));
        assert_eq!(methods.len(), 1);
    }
    for code in [-32_020, -32_021] {
        let (opened, methods) = open(move |asked| {
            (StatusCode::BAD_REQUEST, json_body(&asked.failure(code, "x"))).into_response()
        })
        .await;
        assert!(matches!(opened, Err(McpError::Rpc { code: given, .. }) if given == code));
        assert_eq!(methods.len(), 1);
    }
    let (opened, _) = open(|_| (StatusCode::FOUND, [("location", "http://[::1]/")]).into_response()).await;
    assert_eq!(opened.unwrap_err(), McpError::Send(SendError::Redirect(302)));
}

#[tokio::test]
async fn a_session_needs_a_known_revision_and_a_sendable_id() {
    for version in [json!("2030-01-01"), json!("latest"), json!(1), Value::Null] {
        let (opened, methods) = open(move |asked| match asked.method() {
            "initialize" => asked.result(&json!({"protocolVersion": version})),
            _ => initialized(asked),
        })
        .await;
        assert!(opened.unwrap_err().to_string().contains("no revision"), "{methods:?}");
        assert_eq!(methods, ["server/discover", "initialize"]);
    }
    for id in [String::new(), "a b".to_owned(), "x".repeat(1_025)] {
        let (opened, _) = open(move |asked| {
            let mut response = initialized(asked);
            response.headers_mut().insert("mcp-session-id", id.parse().unwrap());
            response
        })
        .await;
        assert!(opened.unwrap_err().to_string().contains("session"));
    }
    let (opened, _) = open(|asked| match asked.method() {
        "notifications/initialized" => StatusCode::FORBIDDEN.into_response(),
        _ => initialized(asked),
    })
    .await;
    assert!(matches!(opened, Err(McpError::Refused { status: 403, .. })));
}

#[tokio::test]
async fn the_name_of_a_server_is_visible_and_short() {
    let name = format!("for\u{202e}ge{}", "x".repeat(400));
    let (opened, _) = open(move |asked| match asked.method() {
        "server/discover" => {
            let info = json!({"io.modelcontextprotocol/serverInfo": {"name": name, "version": "2"}});
            asked.result(&json!({"supportedVersions": ["2026-07-28"], "_meta": info}))
        }
        method => panic!("{method}"),
    })
    .await;
    let opened = opened.unwrap();
    let server = opened.server();
    assert!(server.starts_with("for\\u{202e}gexxx") && server.len() <= 200, "{server}");
    assert!(!format!("{opened:?}").contains("session_id"));
}

#[tokio::test]
async fn an_opening_that_is_too_large_or_html_is_refused() {
    let (opened, _) = open(|asked| match asked.method() {
        "initialize" => asked.result(&json!({"instructions": "x".repeat(300 * 1024)})),
        _ => initialized(asked),
    })
    .await;
    assert!(matches!(opened, Err(McpError::Unread(UnreadBody::TooLarge(_)))));
    let (opened, methods) =
        open(|_| ([("content-type", "text/html")], "<html>log in</html>").into_response()).await;
    assert!(matches!(opened, Err(McpError::Protocol(_))));
    assert_eq!(methods, ["server/discover", "initialize"]);
}
