//! Installs a skill of the marketplace in the workspace.

use toolcrib_engine::prelude::*;

use super::install::{self, Output};
use crate::shared::{
    items::{ItemKind, SkillView},
    refs::Ref,
};

pub struct InstallSkill;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID, slug or exact name.
    pub skill: Ref,
}

impl WriteAction for InstallSkill {
    type Input = Input;
    type Output = Output<SkillView>;

    fn spec() -> Spec {
        Spec::write("platform_install_skill", Category::Marketplace, Permission::MARKETPLACE_MANAGE).creates()
            .promoted()
            .describe("Install a marketplace skill here. To give it to an agent afterwards, use platform_assign_skill_to_agent.")
            .tags(&["marketplace", "skill", "add", "enable", "ability"])
            .examples(&["Install the code review skill"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        install::target(cx, ItemKind::Skill, &mut input.skill).await
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output<SkillView>, ActionError> {
        install::install(cx, ItemKind::Skill, &input.skill).await
    }

    fn describe(_: &Input, output: &Output<SkillView>) -> String {
        install::describe(ItemKind::Skill, &output.item.item.name, output.changed)
    }
}
