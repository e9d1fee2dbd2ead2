//! Assigns an installed skill to an agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::assignments;

use super::assigned::{self, AgentName, AssignedItem};
use crate::shared::{
    items::ItemKind,
    refs::{self, Ref},
};

pub struct AssignSkillToAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// ID, slug or exact name of an installed skill.
    pub skill: Ref,
}

/// Result of `platform_assign_skill_to_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Agent that has the skill.
    pub agent: AgentName,
    /// The assigned skill.
    pub skill: AssignedItem,
    /// Whether the assignment is new.
    pub changed: bool,
}

impl WriteAction for AssignSkillToAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_assign_skill_to_agent", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Give an agent a skill that is installed in this workspace. Install one first with platform_install_skill.")
            .tags(&["agent", "skill", "assign", "ability", "teach"])
            .examples(&["Teach the support bot to calm people down"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let item = assigned::installed(cx.tx, ItemKind::Skill, &input.skill).await?;
        input.skill = item.id.into();
        assigned::target(cx, &mut input.agent, &format!("skill `{}`", item.name)).await
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let item = assigned::installed(cx.tx, ItemKind::Skill, &input.skill).await?;
        let (row, changed) = assignments::add_skill(cx.tx, agent.id, item.id, cx.now).await?;
        let row = row.ok_or_else(|| ActionError::not_found("skill", input.skill.as_str()))?;
        if changed {
            assigned::emit(cx, "skill", agent.id, &row);
        }
        Ok(Output { agent: agent.into(), skill: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        assigned::describe("skill", &output.skill.name, &output.agent.name, output.changed)
    }
}
