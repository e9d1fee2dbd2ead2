//! Lists the packs of this build.

use toolcrib_engine::prelude::*;
use toolcrib_store::packs;

use super::view::{PackView, added_tokens, admins_tools};
use crate::shared::NoArguments;

pub struct ListPacks;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The packs, in the order of the build.
    pub items: Vec<PackView>,
}

impl ReadAction for ListPacks {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("packs.list", Level::Read, Permission::TOOLSETS_READ)
            .describe("List the packs of this build, with the workspace's switches and settings.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let rows = packs::list(cx.tx).await?;
        let tools = admins_tools(cx).await?;
        let mut items = Vec::new();
        for pack in cx.tools.catalog.packs() {
            let row = rows.iter().find(|row| row.slug == pack.slug());
            let enabled = cx.policy.packs.contains(pack.slug());
            let tokens = added_tokens(&tools, pack.slug())?;
            items.push(PackView::of(cx, pack, enabled, row, tokens).await?);
        }
        Ok(Output { items })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        let on = output.items.iter().filter(|pack| pack.enabled).count();
        format!("Listed {}, of which {on} are on", count(output.items.len(), "pack"))
    }
}
