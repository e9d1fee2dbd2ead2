//! Lists the skills that are installed in the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;

use super::installed::{self, Installed};
use crate::shared::items::{ItemKind, SkillView};

pub struct ListWorkspaceSkills;

impl ReadAction for ListWorkspaceSkills {
    type Input = PageArgs;
    type Output = Page<Installed<SkillView>>;

    fn spec() -> Spec {
        Spec::read("platform_list_workspace_skills", Category::Workspace, Permission::WORKSPACE_READ)
            .describe("List the skills installed in this workspace. For what could be installed, use platform_browse_marketplace_skills.")
            .tags(&["workspace", "skill", "installed", "ability"])
            .examples(&["Which skills are installed here?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Self::Output, ActionError> {
        installed::list(cx, ItemKind::Skill, input).await
    }

    fn describe(_: &PageArgs, page: &Self::Output) -> String {
        format!("Found {}", count(page.items.len(), "installed skill"))
    }
}
