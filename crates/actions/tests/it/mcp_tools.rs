//! Tools of the MCP server `forge`, as they are found and accepted.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_model::Id;
use toolcrib_store::{
    upstream_tools::{self, ListedTool, ToolListing},
    upstreams,
};
use toolcrib_testkit::{NOW, write};
use toolcrib_toolset::UpstreamTool;

use crate::harness::App;

/// Stores what the server lists, as a session does, where these tools are pinned.
pub async fn find(app: &App, workspace: Id, tools: &[UpstreamTool], pinned: &[UpstreamTool]) {
    let listed = |tool: &UpstreamTool| ListedTool {
        tool: tool.name.clone(),
        digest: tool.digest(),
        schema_digest: tool.schema_digest(),
        definition: serde_json::to_string(tool).unwrap(),
    };
    let tools: Vec<ListedTool> = tools.iter().map(listed).collect();
    let pinned: BTreeSet<_> = pinned.iter().map(|tool| (tool.name.clone(), tool.digest())).collect();
    write(&app.db, workspace, async |tx| {
        let listing = ToolListing { upstream: "forge", tools: &tools, is_complete: true };
        upstreams::lock(tx).await?;
        upstream_tools::store(tx, &listing, &pinned, NOW).await
    })
    .await
    .unwrap();
}

/// A tool of a document that accepts a tool of the server.
pub fn declared(tool: &UpstreamTool, level: &str) -> Value {
    let mut declared = json!({
        "name": tool.name, "description": "As we say it.", "permission_level": level,
        "mcp": {"upstream": "forge", "tool": tool.name, "pin": tool.digest()}
    });
    if level == "destructive" {
        declared["warning"] = json!("It is gone for good.");
    }
    declared
}
