//! Lists the marketplace's agent templates.

use toolcrib_engine::prelude::*;

use super::browse::{self, Input};
use crate::shared::items::{ItemKind, TemplateView};

pub struct BrowseMarketplaceAgents;

impl ReadAction for BrowseMarketplaceAgents {
    type Input = Input;
    type Output = Page<TemplateView>;

    fn spec() -> Spec {
        Spec::read("platform_browse_marketplace_agents", Category::Marketplace, Permission::MARKETPLACE_READ)
            .promoted()
            .describe("Browse agent templates that anybody can start from. For agents that exist here, use platform_list_agents.")
            .tags(&["marketplace", "template", "agent", "ready-made", "store"])
            .examples(&["Are there ready-made agents for support?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<TemplateView>, ActionError> {
        browse::browse(cx, ItemKind::Agent, input).await
    }

    fn describe(_: &Input, page: &Page<TemplateView>) -> String {
        format!("Found {}", count(page.items.len(), "agent template"))
    }
}
