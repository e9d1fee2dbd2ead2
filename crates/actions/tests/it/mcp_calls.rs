//! Tools that an MCP server runs: called once in a session of their own credential, and off as soon as the
//! server lists them otherwise than they were accepted.

mod drift;
mod outcomes;
mod sessions;

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, OperatorRules, Outcome};
use toolcrib_model::{Id, OpenCallState, Role};
use toolcrib_testkit::{Person, TestDb, outside::McpServer};
use toolcrib_toolset::UpstreamTool;

use crate::harness::{App, code, completed, declared_tool, find_tools, with_cipher};

const SECRET: &str = "forge-key-0123456789";
/// Longer than a session lasts, in seconds.
const LATER: i64 = 301;

/// A tool as the server lists it. `text` and `parameter` are what drifts.
fn tool(name: &str, text: &str, parameter: &str) -> Value {
    let mut tool = json!({
        "name": name, "description": text,
        "inputSchema": {"type": "object", "properties": {parameter: {"type": "string"}}},
    });
    if name.starts_with("count") {
        tool["outputSchema"] = json!({
            "type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]
        });
    }
    tool
}

/// The server's tools as they are accepted.
fn accepted() -> Vec<Value> {
    ["get_issue", "create_issue", "close_issue", "drop_repo", "count_issues", "count_up"]
        .map(|name| tool(name, "As accepted.", "title"))
        .to_vec()
}

/// The accepted tools, of which one has another text or another parameter.
fn with(name: &str, text: &str, parameter: &str) -> Vec<Value> {
    let mut tools = accepted();
    *tools.iter_mut().find(|tool| tool["name"] == name).unwrap() = tool(name, text, parameter);
    tools
}

/// The accepted tools without one.
fn without(name: &str) -> Vec<Value> {
    let mut tools = accepted();
    tools.retain(|tool| tool["name"] != name);
    tools
}

fn stored(tool: &Value) -> UpstreamTool {
    UpstreamTool {
        name: tool["name"].as_str().unwrap().to_owned(),
        description: tool["description"].as_str().map(str::to_owned),
        input_schema: tool["inputSchema"].clone(),
        output_schema: tool.get("outputSchema").cloned(),
        destructive_hint: false,
    }
}

/// A document that accepts the tools.
fn document() -> Value {
    let declared = accepted().into_iter().map(|tool| {
        let name = tool["name"].as_str().unwrap();
        let level = match name {
            "get_issue" | "count_issues" => "read",
            "drop_repo" => "destructive",
            _ => "write",
        };
        let mut declared = declared_tool(&stored(&tool), level);
        declared["timeout_seconds"] = json!(1);
        declared["result_text"] = json!("Did it: {/text}");
        declared["parameters"] = json!({"properties": {"title": {"type": "string", "maxLength": 100}}});
        if name == "close_issue" {
            declared["confirmation"] = json!("simple");
            declared["warning"] = json!("It is gone for good.");
        }
        if let Some(output) = tool.get("outputSchema") {
            declared["output"] = output.clone();
            declared.as_object_mut().unwrap().remove("result_text");
        }
        declared
    });
    json!({
        "schema": "toolcrib.toolset/1", "slug": "forge", "title": "Forge",
        "defaults": {"accessible_by": "everyone"}, "tools": declared.collect::<Vec<_>>()
    })
}

/// Workspace A with the accepted tools of a server that runs in the test.
struct Forge {
    app: App,
    server: McpServer,
}

impl Forge {
    /// With a server of the newest revision.
    async fn new(db: TestDb) -> Self {
        Self::with(db, McpServer::start(&accepted()).await).await
    }

    /// With a server that keeps sessions.
    async fn with_sessions(db: TestDb) -> Self {
        Self::with(db, McpServer::of_revision("2025-11-25", true, &accepted()).await).await
    }

    async fn with(db: TestDb, server: McpServer) -> Self {
        let upstream_hosts = vec![server.host.clone(), "127.0.0.1:9".to_owned()];
        let app = App::ruled(db, OperatorRules { upstream_hosts, ..with_cipher() }).await;
        let forge = Self { app, server };
        forge.add_to(&forge.app.owner(), forge.app.a.workspace, "workspace").await;
        forge
    }

    /// Adds upstream and toolset to a workspace. `owner` is whose secret is sent.
    async fn add_to(&self, admin: &Person<'_>, workspace: Id, owner: &str) {
        let upstream = json!({"name": "forge", "kind": "mcp", "base_url": self.server.url,
            "auth": {"kind": "bearer", "owner": owner}});
        admin.done("upstreams.create", upstream).await;
        if owner == "workspace" {
            admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
        }
        let tools: Vec<UpstreamTool> = accepted().iter().map(stored).collect();
        find_tools(&self.app, workspace, &tools, &[]).await;
        admin.done("toolsets.put", json!({"slug": "forge", "document": document()})).await;
    }

    fn member(&self) -> Person<'_> {
        self.app.as_role(Role::Member)
    }

    /// Calls a tool as a member.
    async fn call(&self, name: &str) -> CallResponse {
        self.member().call(&format!("forge__{name}"), arguments()).await
    }

    /// Returns the row of a call, with its outcomes.
    async fn row(&self, answer: &CallResponse) -> Value {
        self.app.owner().done("audit.get", json!({"call_id": answer.outcome.call_id().unwrap()})).await
    }

    async fn state(&self, answer: &CallResponse) -> OpenCallState {
        let id = answer.outcome.call_id().unwrap();
        self.app.engine.open_call(&self.member().authenticated, id).await.unwrap().state
    }

    /// How many calls the server received.
    fn calls(&self) -> usize {
        self.server.of_method("tools/call").len()
    }

    /// How many sessions were opened. Each lists the tools once.
    fn opened(&self) -> usize {
        self.server.of_method("tools/list").len()
    }

    /// The credential of each call that the server received.
    fn credentials(&self) -> Vec<String> {
        let calls = self.server.of_method("tools/call");
        calls.iter().map(|call| call.headers["authorization"].to_str().unwrap().to_owned()).collect()
    }
}

fn arguments() -> Value {
    json!({"title": "Printer"})
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// What the problem says, all of it.
fn told(answer: &CallResponse) -> String {
    match &answer.outcome {
        Outcome::Refused(problem) => serde_json::to_string(problem).unwrap(),
        other => panic!("it was not refused: {other:?}"),
    }
}
