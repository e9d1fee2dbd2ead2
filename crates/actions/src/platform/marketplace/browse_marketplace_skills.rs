//! Lists the marketplace's skills.

use toolcrib_engine::prelude::*;

use super::browse::{self, Input};
use crate::shared::items::{ItemKind, SkillView};

pub struct BrowseMarketplaceSkills;

impl ReadAction for BrowseMarketplaceSkills {
    type Input = Input;
    type Output = Page<SkillView>;

    fn spec() -> Spec {
        Spec::read("platform_browse_marketplace_skills", Category::Marketplace, Permission::MARKETPLACE_READ)
            .promoted()
            .describe("Browse skills to install, each with the tokens it costs. For installed ones, use platform_list_workspace_skills.")
            .tags(&["marketplace", "skill", "ability", "prompt", "store"])
            .examples(&["Which skills could I add for code reviews?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<SkillView>, ActionError> {
        browse::browse(cx, ItemKind::Skill, input).await
    }

    fn describe(_: &Input, page: &Page<SkillView>) -> String {
        format!("Found {}", count(page.items.len(), "skill"))
    }
}
