//! What runs the tool of these tests: a REST service or an MCP server, and the documents that declare it.

use std::time::Duration;

use serde_json::{Value, json};
use toolcrib_model::Id;
use toolcrib_testkit::outside::{McpAnswer, McpServer, RestService, ServiceAnswer};

use crate::api::Api;

/// What runs the tool.
#[derive(Clone)]
pub enum Upstream {
    Http(RestService),
    Mcp(McpServer),
}

impl Upstream {
    /// A service that answers after a while, or an MCP server that does so.
    pub async fn start(kind: &str) -> Self {
        let time = Duration::from_millis(120);
        if kind == "http" {
            let service = RestService::start().await;
            service.answer(ServiceAnswer::After(time));
            return Self::Http(service);
        }
        let schema = json!({"type": "object", "properties": {"note": {"type": "string"}}});
        let tool = json!({"name": "add_note", "description": "Add a note.", "inputSchema": schema});
        let server = McpServer::start(&[tool]).await;
        server.answer(McpAnswer::After(time));
        Self::Mcp(server)
    }

    fn kind(&self) -> &'static str {
        if matches!(self, Self::Http(_)) { "http" } else { "mcp" }
    }

    pub fn address(&self) -> (&str, &str) {
        match self {
            Self::Http(service) => (&service.url, &service.host),
            Self::Mcp(server) => (&server.url, &server.host),
        }
    }

    /// The notes of the calls that arrived, with the id that the request names, if it names one.
    pub fn received(&self) -> Vec<(Option<Id>, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match self {
            Self::Http(service) => service
                .received()
                .iter()
                .map(|request| {
                    let id = request.headers["idempotency-key"].to_str().unwrap();
                    (Some(id.parse().unwrap()), text(&request.body["note"]))
                })
                .collect(),
            Self::Mcp(server) => server
                .of_method("tools/call")
                .iter()
                .map(|request| (None, text(&request.body["params"]["arguments"]["note"])))
                .collect(),
        }
    }
}

/// A tool that adds a note over HTTP, with the upstream's time limit at one second.
fn http_document() -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "add_note", "description": "Add a note.", "permission_level": "write",
            "timeout_seconds": 1, "accessible_by": "everyone",
            "parameters": {"required": ["note"], "properties": {
                "note": {"type": "string", "maxLength": 100}}},
            "http": {"upstream": "helpdesk", "method": "POST", "path": "notes", "body": {"note": "{note}"},
                "idempotency_header": "Idempotency-Key"}
        }]
    })
}

/// The same tool as the MCP server lists it, accepted.
async fn mcp_document(owner: &Api) -> Value {
    done_with(owner, "POST", "/v1/upstreams/helpdesk/discover", None).await;
    let wish = json!({"slug": "desk", "upstream": "helpdesk"});
    let mut document = done_with(owner, "POST", "/v1/toolsets/import", Some(wish)).await["document"].take();
    let tool = document["tools"][0].as_object_mut().unwrap();
    tool.remove("draft").unwrap();
    tool.insert("permission_level".into(), json!("write"));
    tool.insert("accessible_by".into(), json!("everyone"));
    tool.insert("timeout_seconds".into(), json!(1));
    document
}

/// The response of a request that succeeds.
async fn done_with(owner: &Api, method: &str, path: &str, body: Option<Value>) -> Value {
    let (status, body) = owner.ask(method, path, body.as_ref()).await.unwrap();
    assert!(status < 300, "{method} {path}: {status} {body}");
    body
}

/// Adds the upstream, and stores the toolset.
pub async fn declare(owner: &Api, upstream: &Upstream) {
    let added = json!({"name": "helpdesk", "kind": upstream.kind(), "base_url": upstream.address().0});
    done_with(owner, "POST", "/v1/upstreams", Some(added)).await;
    let document = match upstream {
        Upstream::Http(_) => http_document(),
        Upstream::Mcp(_) => mcp_document(owner).await,
    };
    done_with(owner, "PUT", "/v1/toolsets/desk", Some(document)).await;
}
