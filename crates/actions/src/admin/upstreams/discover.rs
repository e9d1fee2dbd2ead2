//! Asks an MCP server for its tools now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::count;
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_toolset::ToolsetSource;

use super::{
    rules,
    tool_view::{UpstreamToolView, views},
};
use crate::admin::server_tools;

pub struct DiscoverUpstream;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Name of the upstream.
    pub name: String,
    /// What the server calls itself: its name and version.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub server: String,
    /// The tools that the server lists, and those that are pinned and not listed any more, by name.
    pub tools: Vec<UpstreamToolView>,
    /// Tools of the server that can't be used.
    pub left_out: Vec<LeftOutToolView>,
    /// False if the server's list had no end, because it sent the same cursor again: tools may be missing.
    pub complete: bool,
}

/// A tool that can't be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LeftOutToolView {
    /// Name of the tool at the server.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub name: String,
    /// Why it can't be used.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub reason: String,
}

impl ExternalAction for DiscoverUpstream {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.discover", Level::Read, Permission::INTEGRATIONS_MANAGE).external().timeout_seconds(30).describe(
            "Ask an MCP server for its tools now, and store their definitions. Pinned tools whose definition changed \
             are off until the new one is accepted.",
        )
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let catalog = cx.tools.catalog.clone();
        let name = input.name.clone();
        let upstream = cx
            .read(move |tx| {
                Box::pin(
                    async move { server_tools::mcp_upstream(tx, catalog.rules(), (&name, "/name")).await },
                )
            })
            .await?;
        if upstream.source == ToolsetSource::Workspace {
            rules::permitted(cx.tools.catalog.rules())?;
        }
        let found = cx.discover(&upstream).await?;
        let (catalog, name) = (cx.tools.catalog.clone(), input.name.clone());
        let tools = cx
            .read(move |tx| {
                Box::pin(async move {
                    let rules = catalog.rules();
                    let stored = server_tools::read(tx, rules, (&name, "/name")).await?;
                    views(tx, rules, &stored).await
                })
            })
            .await?;
        let left_out = found.left_out.into_iter();
        Ok(Output {
            name: upstream.reference.clone(),
            server: found.server,
            tools,
            left_out: left_out.map(|left| LeftOutToolView { name: left.name, reason: left.reason }).collect(),
            complete: found.is_complete,
        })
    }

    fn describe(input: &Input, output: &Output) -> String {
        let listed = output.tools.iter().filter(|tool| tool.current).count();
        format!("The server of `{}` lists {}", input.name, count(listed, "tool"))
    }
}
