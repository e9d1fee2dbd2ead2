//! Sessions, lists and calls with the server of the protocol's library, in every revision.

use serde_json::{Map, json};
use toolcrib_connectors::mcp_client::{DiscoveredTools, McpCall, McpError, McpSession};
use toolcrib_testkit::outside::{McpAnswer, McpServer, ReceivedRequest};

use super::{TIMEOUT, call, client, endpoint, object, tool};

fn header<'r>(request: &'r ReceivedRequest, name: &str) -> Option<&'r str> {
    request.headers.get(name).map(|value| value.to_str().unwrap())
}

fn names(discovered: &DiscoveredTools) -> Vec<&str> {
    discovered.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn every_revision_lists_and_calls() {
    for (revision, sessions) in [
        ("2026-07-28", false),
        ("2026-07-28", true),
        ("2025-11-25", false),
        ("2025-11-25", true),
        ("2025-06-18", true),
        ("2025-03-26", true),
        ("2024-11-05", true),
        ("2024-11-05", false),
    ] {
        let server =
            McpServer::of_revision(revision, sessions, &[tool("create_issue"), tool("get_issue")]).await;
        let (client, url) = (client(), server.url.parse().unwrap());
        let endpoint = endpoint(&client, &url);
        let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
        let listed = session.list_tools(&endpoint, TIMEOUT).await.unwrap();
        assert_eq!((listed.server.as_str(), session.server()), ("forge 1.2", "forge 1.2"), "{revision}");
        assert_eq!(names(&listed), ["create_issue", "get_issue"]);
        assert_eq!(listed.left_out, []);
        let arguments = object(json!({"title": "A"}));
        for _ in 0..2 {
            let result = session.call_tool(&endpoint, call("create_issue", &arguments)).await.unwrap();
            assert_eq!((result.text.as_str(), result.is_error, result.structured), ("done", false, None));
        }
        let calls = server.of_method("tools/call");
        assert_eq!(calls.len(), 2, "{revision}");
        assert_eq!(calls[1].body["params"]["arguments"], json!({"title": "A"}));
        assert_ne!(calls[0].body["id"], calls[1].body["id"]);
        assert_eq!(header(&calls[0], "mcp-protocol-version"), Some(revision));
        let has_session = sessions && revision != "2026-07-28";
        assert_eq!(header(&calls[0], "mcp-session-id").is_some(), has_session, "{revision}");
        let opened = server.of_method("initialize").len();
        assert_eq!(opened, usize::from(revision != "2026-07-28"), "{revision}");
        session.close(&endpoint).await;
        let ended = server.received().iter().filter(|request| request.line == "DELETE /mcp").count();
        assert_eq!(ended, usize::from(has_session), "{revision}");
    }
}

#[tokio::test]
async fn a_stateless_request_names_method_tool_and_client() {
    let annotated = json!({
        "name": "büro", "inputSchema": {"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"}, "title": {"type": "string"},
        }},
    });
    let server = McpServer::start(&[annotated]).await;
    let (client, url) = (client(), server.url.parse().unwrap());
    let endpoint = endpoint(&client, &url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let listed = session.list_tools(&endpoint, TIMEOUT).await.unwrap();
    let arguments = object(json!({"region": "Zürich", "title": "A"}));
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let traced = McpCall {
        headers: &listed.tools[0].headers,
        traceparent: Some(traceparent),
        ..call("büro", &arguments)
    };
    session.call_tool(&endpoint, traced).await.unwrap();
    let request = &server.of_method("tools/call")[0];
    for (name, value) in [
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?YsO8cm8=?="),
        ("mcp-param-region", "=?base64?WsO8cmljaA==?="),
        ("mcp-protocol-version", "2026-07-28"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("traceparent", traceparent),
    ] {
        assert_eq!(header(request, name), Some(value), "{name}");
    }
    let meta = &request.body["params"]["_meta"];
    assert_eq!(meta["traceparent"], traceparent);
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "toolcrib");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    // The library's server compares the headers with the message.
    let error = session.call_tool(&endpoint, call("büro", &arguments)).await.unwrap_err();
    assert!(matches!(error, McpError::Rpc { code: -32_020, .. }), "{error:?}");
}

#[tokio::test]
async fn a_session_that_the_server_forgot_has_ended_and_no_call_is_repeated() {
    let server = McpServer::of_revision("2025-11-25", true, &[tool("create_issue")]).await;
    let (client, url) = (client(), server.url.parse().unwrap());
    let endpoint = endpoint(&client, &url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    server.forget_sessions().await;
    let error = session.call_tool(&endpoint, call("create_issue", &Map::new())).await.unwrap_err();
    assert_eq!(error, McpError::SessionEnded);
    assert!(!error.is_unknown());
    assert_eq!(server.of_method("tools/call").len(), 1);
    let error = session.list_tools(&endpoint, TIMEOUT).await.unwrap_err();
    assert!(matches!(error, McpError::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn errors_of_calls_are_told() {
    for (revision, sessions) in [("2026-07-28", false), ("2025-11-25", true), ("2025-11-25", false)] {
        let server = McpServer::of_revision(revision, sessions, &[tool("create_issue")]).await;
        let (client, url) = (client(), server.url.parse().unwrap());
        let endpoint = endpoint(&client, &url);
        let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
        let arguments = object(json!({"title": "A"}));
        let told = async || session.call_tool(&endpoint, call("create_issue", &arguments)).await;
        let content = json!([{"type": "text", "text": "no rights"}]);
        server.answer(McpAnswer::Result(json!({"isError": true, "content": content})));
        let result = told().await.unwrap();
        assert!(result.is_error && result.text == "no rights", "{result:?}");
        for code in [-32_602, -32_603, -32_601] {
            server.answer(McpAnswer::Error(code));
            let error = told().await.unwrap_err();
            let expected = McpError::Rpc { code: code.into(), message: "no such thing".into() };
            assert_eq!(error, expected, "{revision}");
            assert!(!error.is_unknown());
        }
        server.answer(McpAnswer::Half);
        assert!(told().await.unwrap_err().is_unknown());
    }
}

#[tokio::test]
async fn a_server_of_an_older_revision_gets_the_trace_of_a_call_too() {
    let server = McpServer::of_revision("2025-11-25", true, &[tool("create_issue")]).await;
    let (client, url) = (client(), server.url.parse().unwrap());
    let endpoint = endpoint(&client, &url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let traceparent = Some("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01");
    let nothing = Map::new();
    for traceparent in [traceparent, None] {
        let call = McpCall { traceparent, ..call("create_issue", &nothing) };
        session.call_tool(&endpoint, call).await.unwrap();
    }
    let calls = server.of_method("tools/call");
    let metas: Vec<_> = calls.iter().map(|call| call.body["params"].get("_meta")).collect();
    assert_eq!(metas, [Some(&json!({"traceparent": traceparent})), None]);
}
