//! Gets a toolset with its document.

use serde_json::Value;
use toolcrib_engine::{prelude::*, workspace_toolsets};

use super::view::ToolsetView;

pub struct GetToolset;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset.
    pub slug: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The toolset.
    #[serde(flatten)]
    pub toolset: ToolsetView,
    /// The document, as `PUT` takes it. Objects of schemas are closed, strings and lists bounded.
    pub document: Value,
}

impl ReadAction for GetToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.get", Level::Read, Permission::TOOLSETS_READ)
            .describe("Get a toolset with its document.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let own = workspace_toolsets::find(cx.tx, cx.tools.catalog.rules(), &input.slug).await?;
        Ok(Output { toolset: ToolsetView::of(&own), document: own.toolset.to_json() })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Read the toolset `{}`", output.toolset.slug)
    }
}
