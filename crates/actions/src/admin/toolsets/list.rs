//! Lists the toolsets of the workspace and the operator.

use toolcrib_engine::{prelude::*, workspace_toolsets};

use super::view::ToolsetView;
use crate::shared::NoArguments;

pub struct ListToolsets;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The operator's toolsets, then those of the workspace, each by slug.
    pub items: Vec<ToolsetView>,
}

impl ReadAction for ListToolsets {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.list", Level::Read, Permission::TOOLSETS_READ)
            .describe("List the toolsets of this workspace and of the operator.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let all = workspace_toolsets::all(cx.tx, cx.tools.catalog.rules()).await?;
        Ok(Output { items: all.iter().map(ToolsetView::of).collect() })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Listed {}", count(output.items.len(), "toolset"))
    }
}
