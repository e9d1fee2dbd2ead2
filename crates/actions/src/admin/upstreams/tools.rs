//! Shows the tools that an MCP server listed last.

use toolcrib_engine::prelude::*;

use super::tool_view::{UpstreamToolView, views};
use crate::admin::server_tools;

pub struct ListUpstreamTools;

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
    /// Whether the server was ever asked.
    pub asked: bool,
    /// The tools that the server lists, and those that are pinned and not listed any more, by name.
    pub tools: Vec<UpstreamToolView>,
}

impl ReadAction for ListUpstreamTools {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.tools", Level::Read, Permission::INTEGRATIONS_MANAGE).describe(
            "Show the tools that an MCP server listed last, beside the definitions that toolsets pin. The server is not \
             asked.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let rules = cx.tools.catalog.rules();
        let found = server_tools::read(cx.tx, rules, &input.name, "/name").await?;
        let tools = views(cx.tx, rules, &found).await?;
        Ok(Output { name: found.upstream.reference.clone(), asked: found.was_asked, tools })
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Listed {} of the upstream `{}`", count(output.tools.len(), "tool"), input.name)
    }
}
