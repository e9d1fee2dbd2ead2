//! Lists that are too long, do not end, or have tools that can't be used.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::response::Response;
use serde_json::{Value, json};
use toolcrib_connectors::mcp_client::{DiscoveredTools, McpError, McpSession};

use super::{
    TIMEOUT, client, endpoint,
    fake::{Asked, Fake},
    tool,
};

async fn list(
    answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static,
) -> (Result<DiscoveredTools, McpError>, usize) {
    let server = Fake::after_handshake(Some("s1"), answer).await;
    let client = client();
    let endpoint = endpoint(&client, &server.url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let listed = session.list_tools(&endpoint, TIMEOUT).await;
    let asked = server.methods().iter().filter(|method| *method == "tools/list").count();
    (listed, asked)
}

async fn refusal(answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static) -> (String, usize) {
    let (listed, asked) = list(answer).await;
    (listed.unwrap_err().to_string(), asked)
}

fn page(asked: &Asked, tools: &[Value], next: &Value) -> Response {
    asked.result(&json!({"tools": tools, "nextCursor": next}))
}

fn number(asked: &Asked) -> usize {
    asked.message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap())
}

#[tokio::test]
async fn all_pages_are_read() {
    let (listed, asked) = list(|asked| {
        let n = number(asked);
        page(asked, &[tool(&format!("t{n}"))], &if n < 19 { json!((n + 1).to_string()) } else { json!("") })
    })
    .await;
    let listed = listed.unwrap();
    assert!(listed.is_complete);
    let names: Vec<String> = listed.tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, (0..20).map(|n| format!("t{n}")).collect::<Vec<_>>());
    assert_eq!(asked, 20);
}

/// In the revision without sessions any text is a cursor. In older ones an empty text ends the list.
#[tokio::test]
async fn an_empty_cursor_of_the_newest_revision_is_a_cursor() {
    let server = Fake::start(|asked| match asked.method() {
        "server/discover" => asked.result(&json!({"supportedVersions": ["2026-07-28"]})),
        _ if asked.message["params"].get("cursor").is_some() => page(asked, &[tool("second")], &Value::Null),
        _ => page(asked, &[tool("first")], &json!("")),
    })
    .await;
    let client = client();
    let endpoint = endpoint(&client, &server.url);
    let session = McpSession::open(&endpoint, TIMEOUT).await.unwrap();
    let listed = session.list_tools(&endpoint, TIMEOUT).await.unwrap();
    assert_eq!(listed.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["first", "second"]);
}

#[tokio::test]
async fn a_list_has_an_end() {
    let (error, asked) = refusal(|asked| page(asked, &[], &json!((number(asked) + 1).to_string()))).await;
    assert!(error.contains("more than 20 pages") && asked == 20, "{error} {asked}");
    let (error, _) = refusal(|asked| page(asked, &[], &json!("x".repeat(5_000)))).await;
    assert!(error.contains("more than 4,096 bytes"), "{error}");
    let (error, _) = refusal(|asked| page(asked, &[], &json!(1))).await;
    assert!(error.contains("cursor"), "{error}");
}

/// A server ignores the cursor, sends the same one with every page, or has cursors that are a circle.
#[tokio::test]
async fn a_list_ends_where_its_cursor_comes_again() {
    let (listed, asked) = list(|asked| page(asked, &[tool("a"), tool("b")], &json!("1"))).await;
    assert_incomplete((&listed, asked), (&["a", "b"], 2));
    let (listed, asked) =
        list(|asked| page(asked, &[tool(&format!("t{}", number(asked)))], &json!("1"))).await;
    assert_incomplete((&listed, asked), (&["t0", "t1"], 2));
    let circle = |asked: &Asked| {
        let n = number(asked);
        page(asked, &[tool(&format!("t{n}"))], &json!((n % 2 + 1).to_string()))
    };
    let (listed, asked) = list(circle).await;
    assert_incomplete((&listed, asked), (&["t0", "t1", "t2"], 3));
    let changing = Arc::new(AtomicUsize::new(0));
    let (listed, _) = list(move |asked| {
        let text = format!("Text {}", changing.fetch_add(1, Ordering::SeqCst));
        let other = json!({"name": "other", "description": text, "inputSchema": {}});
        page(asked, &[tool("a"), other], &json!("1"))
    })
    .await;
    let listed = listed.unwrap();
    assert_eq!(listed.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["a"]);
    assert_eq!(listed.left_out.len(), 2, "{:?}", listed.left_out);
}

fn assert_incomplete(
    (listed, asked): (&Result<DiscoveredTools, McpError>, usize),
    (names, requests): (&[&str], usize),
) {
    let listed = listed.as_ref().unwrap();
    assert_eq!(listed.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), names);
    assert_eq!((listed.is_complete, &listed.left_out, asked), (false, &vec![], requests));
}

#[tokio::test]
async fn a_list_has_500_tools_and_4_mib_in_all_pages() {
    let tools = |count: usize| (0..count).map(|n| tool(&format!("t{n}"))).collect::<Vec<_>>();
    let (listed, _) = list(move |asked| page(asked, &tools(500), &Value::Null)).await;
    assert_eq!(listed.unwrap().tools.len(), 500);
    let (error, asked) = refusal(move |asked| {
        let n = number(asked);
        page(asked, &tools(251), &if n == 0 { json!("1") } else { Value::Null })
    })
    .await;
    assert!(error.contains("more than 500 tools") && asked == 2, "{error} {asked}");
    let wide = |kib: usize| json!({"name": "t", "description": "x".repeat(kib * 1024), "inputSchema": {}});
    let (listed, _) = list(move |asked| page(asked, &[wide(4_000)], &Value::Null)).await;
    assert_eq!(listed.unwrap().tools.len(), 1);
    let sent = Arc::new(AtomicUsize::new(0));
    for (kib, pages) in [(5 * 1024, 1), (1_500, 3)] {
        sent.store(0, Ordering::SeqCst);
        let sent = sent.clone();
        let (error, asked) = refusal(move |asked| {
            let n = sent.fetch_add(1, Ordering::SeqCst);
            page(asked, &[wide(kib)], &json!(n.to_string()))
        })
        .await;
        assert!(error.contains("more than 4 MiB") && asked == pages, "{error} {asked}");
    }
}

#[tokio::test]
async fn bad_tools_are_left_out_and_named() {
    let schema = json!({"type": "object"});
    let tools = json!([
        tool("good"),
        {"name": "bare", "inputSchema": {}},
        {"name": "hint", "inputSchema": schema, "annotations": {"destructiveHint": true}},
        {"name": "read", "inputSchema": schema,
            "annotations": {"destructiveHint": true, "readOnlyHint": true}},
        {"name": "output", "inputSchema": schema, "outputSchema": {"type": "object"}, "description": null},
        {"name": "no_schema"},
        {"name": "text_schema", "inputSchema": "object"},
        {"name": "list_schema", "inputSchema": {"type": "array"}},
        {"name": "odd_output", "inputSchema": schema, "outputSchema": true},
        {"name": "odd_text", "inputSchema": schema, "description": {}},
        {"name": "", "inputSchema": schema},
        {"name": "x".repeat(129), "inputSchema": schema},
        {"name": "two words", "inputSchema": schema},
        {"name": "hid\u{200b}den", "inputSchema": schema},
        {"name": "line\nbreak", "inputSchema": schema},
        {"name": 7, "inputSchema": schema},
        tool("twice"),
        tool("twice"),
        [],
    ]);
    let (listed, _) = list(move |asked| page(asked, tools.as_array().unwrap(), &Value::Null)).await;
    let listed = listed.unwrap();
    let kept: Vec<(&str, bool)> =
        listed.tools.iter().map(|tool| (tool.name.as_str(), tool.destructive_hint)).collect();
    let expected = [("good", false), ("bare", false), ("hint", true), ("read", false), ("output", false)];
    assert_eq!(kept, expected);
    assert_eq!(listed.tools[4].description, None);
    let left_out: Vec<String> =
        listed.left_out.iter().map(|tool| format!("{} {}", tool.name, tool.reason)).collect();
    assert_eq!(left_out.len(), 14, "{left_out:#?}");
    let visible = listed.left_out.iter().all(|tool| !tool.name.contains(['\u{200b}', '\n']));
    assert!(visible && listed.left_out.iter().all(|tool| tool.name.len() <= 128), "{left_out:#?}");
    assert_eq!(left_out.iter().filter(|text| text.starts_with("twice is listed more")).count(), 2);
    assert!(left_out.contains(&"no_schema has no input schema of the type `object`".to_owned()));
}

#[tokio::test]
async fn what_is_no_list_is_refused() {
    for (odd, said) in [(json!({}), "no list"), (json!({"tools": {}}), "no list"), (json!([]), "no object")] {
        let (error, _) = refusal(move |asked| asked.result(&odd)).await;
        assert!(error.contains(said) || error.contains("not an object"), "{error}");
    }
    let gone = |_: &Asked| axum::response::IntoResponse::into_response(axum::http::StatusCode::NOT_FOUND);
    assert!(matches!(list(gone).await.0, Err(McpError::Protocol(_))));
}
