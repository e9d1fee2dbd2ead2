//! A word that only workspace B has, searched for in every response to workspace A. And the stream of events
//! of A.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    api::until,
    binary::{Server, demo, folder},
};

/// Only texts of B contain this word.
const CANARY: &str = "zq-canary-4417";

/// A workspace's people and the service's address.
struct Door<'s> {
    client: reqwest::Client,
    base: &'s str,
    workspace: Value,
}

impl Door<'_> {
    fn text(&self, path: &str) -> &str {
        self.workspace.pointer(path).unwrap().as_str().unwrap()
    }

    async fn told(&self, request: reqwest::RequestBuilder) -> (u16, String) {
        let request =
            request.bearer_auth(self.text("/owner/token")).header("X-Workspace-Id", self.text("/id"));
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn stream(&self) -> reqwest::Response {
        let request =
            self.client.get(format!("{}/v1/events", self.base)).bearer_auth(self.text("/owner/token"));
        let mut stream = request.header("X-Workspace-Id", self.text("/id")).send().await.unwrap();
        assert_eq!(
            (stream.status().as_u16(), &stream.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        until(&mut stream, ": listening").await;
        stream
    }

    async fn get(&self, path: &str) -> (u16, String) {
        self.told(self.client.get(format!("{}{path}", self.base))).await
    }

    async fn post(&self, path: &str, body: Value) -> (u16, String) {
        self.told(self.client.post(format!("{}{path}", self.base)).json(&body)).await
    }
}

/// Puts the word wherever B can: names, refused arguments, searches, a waiting confirmation, a session.
async fn plant(b: &Door<'_>) {
    let name = format!("Agent {CANARY}");
    for (action, params, status) in [
        ("create_agent", json!({ "name": name }), 200),
        ("create_agent", json!({ "name": name }), 409),
        ("create_agent", json!({ "name": format!("{CANARY} two"), "temperature": 99 }), 422),
        ("store_memory", json!({ "content": format!("remember {CANARY}") }), 200),
        ("search_memory", json!({ "query": CANARY }), 200),
        ("get_agent", json!({ "agent": format!("{CANARY} nobody") }), 404),
        ("delete_agent", json!({ "agent": name }), 202),
    ] {
        let told = b.post(&format!("/v1/actions/platform_{action}"), params).await;
        assert_eq!(told.0, status, "{action}: {}", told.1);
    }
    let unknown = b.post(&format!("/v1/actions/platform_{CANARY}"), json!({})).await;
    assert_eq!(unknown.0, 404, "{}", unknown.1);
    flood(b).await;
}

/// Calls actions that do not exist until the calls are refused by a limit.
async fn flood(b: &Door<'_>) {
    let function = json!({ "name": format!("platform_{CANARY}"), "arguments": "{}" });
    let call = |n| json!({ "id": format!("c{n}"), "type": "function", "function": function });
    let body = json!({ "format": "openai", "tool_calls": (0..32).map(call).collect::<Vec<_>>() });
    // The limit refills ten calls a second, so a slow machine needs more requests than a fast one.
    for _ in 0..500 {
        let told = b.post("/v1/tools/calls", body.clone()).await;
        if told.1.contains("rate_limited") {
            return;
        }
    }
    panic!("16,000 refusals were told one by one");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_response_to_a_contains_text_of_b() {
    let folder = folder();
    let server = Server::start(folder.path(), &["--demo"]);
    let base = server.base();
    let mut demo = demo(folder.path());
    let mut door = |index: usize| Door {
        client: reqwest::Client::new(),
        base: &base,
        workspace: demo["workspaces"][index].take(),
    };
    let (a, b) = (door(0), door(1));
    let mut stream = a.stream().await;
    plant(&b).await;
    assert_eq!(a.post("/v1/actions/platform_create_agent", json!({ "name": "Witness" })).await.0, 200);
    let events = until(&mut stream, r#""name":"Witness""#).await;
    assert!(events.contains("event: agent.created\n") && !events.contains(CANARY), "{events}");
    let mut looked = 0;
    let places = [
        "/openapi.json",
        "/docs",
        "/v1/tools",
        "/v1/tools/prompt",
        "/v1/actions?limit=100",
        "/v1/audit?limit=100",
        "/v1/audit/stats?by=principal",
        "/v1/confirmations",
        "/v1/workspaces",
        "/v1/members",
        "/v1/access/matrix",
        "/metrics",
    ];
    for place in places {
        let (status, text) = a.get(place).await;
        assert_eq!(status, 200, "{place}: {text}");
        assert!(!text.contains(CANARY), "{place}: {text}");
        looked += 1;
    }
    for (action, params) in [
        ("get_logs", json!({ "service": "http", "lines": 1000 })),
        ("get_logs", json!({ "service": "engine", "lines": 1000 })),
        ("query_loki_logs", json!({ "limit": 500 })),
        ("query_loki_logs", json!({ "search": CANARY })),
        ("get_system_health", json!({})),
        ("query_prometheus", json!({})),
        ("get_alerts", json!({})),
        ("get_activity_feed", json!({})),
        ("list_agents", json!({ "limit": 100 })),
        ("browse_memories", json!({})),
        ("get_agent", json!({ "agent": format!("Agent {}", CANARY.trim_end_matches('7')) })),
    ] {
        let (status, text) = a.post(&format!("/v1/actions/platform_{action}"), params).await;
        assert!([200, 404, 422].contains(&status), "{action}: {text}");
        // The description of a search may repeat the query, so only the data is searched.
        let found = serde_json::from_str::<Value>(&text).unwrap()["data"].to_string();
        assert!(!found.contains(CANARY), "{action}: {text}");
        looked += 1;
    }
    // B itself sees the word, so it was stored.
    assert!(b.get("/v1/audit?limit=100").await.1.contains(CANARY));
    println!("{looked} answers to A hold no word of B");
    a_stream_lets_the_service_stop(server, stream).await;
}

/// An open stream does not delay the end of the service.
async fn a_stream_lets_the_service_stop(server: Server, mut stream: reqwest::Response) {
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Other events may have been on their way. The stream ends without an error.
    while stream.chunk().await.unwrap().is_some() {}
}
