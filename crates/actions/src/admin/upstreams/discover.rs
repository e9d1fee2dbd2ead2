//! Asks an MCP server for its tools now, or a service with language models for its models.

use toolcrib_engine::{
    prelude::*,
    upstreams::{CatalogUpstream, find_upstream},
};
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
    /// What an MCP server calls itself: its name and version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-untrusted" = "documents"))]
    pub server: Option<String>,
    /// The tools that the server lists, and those that are pinned and not listed any more, by name.
    pub tools: Vec<UpstreamToolView>,
    /// Tools of the server that can't be used.
    pub left_out: Vec<LeftOutToolView>,
    /// The models that a service with language models lists, in its order. They are not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<ListedModelView>>,
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

/// A model that a service lists.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ListedModelView {
    /// Name of the model at the service.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub name: String,
    /// Whether the upstream's `models` have it, so that people may choose it.
    pub chosen: bool,
}

impl ExternalAction for DiscoverUpstream {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.discover", Level::Read, Permission::INTEGRATIONS_MANAGE).external().timeout_seconds(30).describe(
            "Ask an MCP server for its tools now, and store their definitions. Pinned tools whose definition changed \
             are off until the new one is accepted. A service with language models is asked for its models.",
        )
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let catalog = cx.tools.catalog.clone();
        let name = input.name.clone();
        let find =
            cx.read(move |tx| Box::pin(async move { find_upstream(tx, catalog.rules(), &name).await }));
        let upstream = find.await?;
        if upstream.source == ToolsetSource::Workspace {
            rules::permitted(cx.tools.catalog.rules())?;
        }
        if upstream.kind.has_models() {
            return models(cx, &upstream).await;
        }
        let upstream = server_tools::mcp_only(upstream, "/name")?;
        let found = cx.discover(&upstream).await?;
        let (catalog, name) = (cx.tools.catalog.clone(), input.name.clone());
        let tools = cx
            .read(move |tx| {
                Box::pin(async move {
                    let rules = catalog.rules();
                    let stored = server_tools::read(tx, rules, &name, "/name").await?;
                    views(tx, rules, &stored).await
                })
            })
            .await?;
        let left_out = found.left_out.into_iter();
        Ok(Output {
            name: upstream.reference.clone(),
            server: Some(found.server),
            tools,
            left_out: left_out.map(|left| LeftOutToolView { name: left.name, reason: left.reason }).collect(),
            models: None,
            complete: found.is_complete,
        })
    }

    fn describe(input: &Input, output: &Output) -> String {
        if let Some(models) = &output.models {
            return format!("The service of `{}` lists {}", input.name, count(models.len(), "model"));
        }
        let listed = output.tools.iter().filter(|tool| tool.current).count();
        format!("The server of `{}` lists {}", input.name, count(listed, "tool"))
    }
}

/// Asks a service for its models.
async fn models(cx: &ExternalCx<'_>, upstream: &CatalogUpstream) -> Result<Output, ActionError> {
    let (asked, names) = cx.models(&upstream.name).await?;
    let models = names.into_iter().map(|name| ListedModelView { chosen: asked.models.contains(&name), name });
    Ok(Output {
        name: asked.name,
        server: None,
        tools: Vec::new(),
        left_out: Vec::new(),
        models: Some(models.collect()),
        complete: true,
    })
}
