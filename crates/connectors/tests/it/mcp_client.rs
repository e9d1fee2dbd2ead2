//! The client of MCP servers: against a server of the protocol's library in every revision, and against
//! servers that misbehave in every way.

mod continued_streams;
mod fake;
mod hostile_answers;
mod hostile_lists;
mod hostile_openings;
mod results;
mod revisions;

use std::time::Duration;

use serde_json::{Map, Value, json};
use toolcrib_connectors::{
    mcp_client::{McpCall, McpEndpoint, McpError, McpResult, McpSession},
    upstream::{UpstreamClient, UpstreamClientSettings, Url},
};

/// Long enough for every answer that comes at all.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A client that may call 127.0.0.1 by `http:`.
fn client() -> UpstreamClient {
    let allowed_hosts = vec!["127.0.0.1".to_owned()];
    UpstreamClient::new(UpstreamClientSettings { allowed_hosts, ..Default::default() }).unwrap()
}

fn endpoint<'e>(client: &'e UpstreamClient, url: &'e Url) -> McpEndpoint<'e> {
    McpEndpoint { client, upstream: "w/forge", url, credential: None, roots: None }
}

/// A call without arguments.
fn call<'c>(tool: &'c str, arguments: &'c Map<String, Value>) -> McpCall<'c> {
    let (headers, max_bytes) = (&[][..], 1024 * 1024);
    McpCall { tool, arguments, headers, has_effect: true, timeout: TIMEOUT, max_bytes, traceparent: None }
}

/// Opens a session and calls `create_issue` in it.
async fn call_once(url: &Url) -> Result<McpResult, McpError> {
    let client = client();
    let endpoint = endpoint(&client, url);
    let session = McpSession::open(&endpoint, TIMEOUT).await?;
    session.call_tool(&endpoint, call("create_issue", &Map::new())).await
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A tool as a server lists it.
fn tool(name: &str) -> Value {
    json!({
        "name": name, "description": "File an issue.",
        "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    })
}
