//! Assigns a connected app to an agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::assignments;

use super::assigned::{self, AgentName, AssignedTool};
use crate::shared::refs::{self, Ref};

pub struct AssignToolToAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// Slug, name or ID of a connected app.
    pub app: Ref,
}

/// Result of `platform_assign_tool_to_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Agent that may use the app.
    pub agent: AgentName,
    /// The assigned app.
    pub tool: AssignedTool,
    /// Whether the assignment is new.
    pub changed: bool,
}

impl WriteAction for AssignToolToAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_assign_tool_to_agent", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Let an agent use an app that is connected in this workspace. Use platform_list_connected_apps to find one.")
            .tags(&["agent", "tool", "app", "integration", "assign"])
            .examples(&["Let the support bot use Slack"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let app = refs::connection(cx.tx, &input.app).await?;
        input.app = app.id.into();
        assigned::target(cx, &mut input.agent, &format!("app `{}`", app.name)).await
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let app = refs::connection(cx.tx, &input.app).await?;
        let (row, changed) = assignments::add_tool(cx.tx, agent.id, app.id, cx.now).await?;
        let row = row.ok_or_else(|| ActionError::not_found("connected app", input.app.as_str()))?;
        if changed {
            assigned::emit(cx, "tool", agent.id, &row);
        }
        Ok(Output { agent: agent.into(), tool: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        assigned::describe("app", &output.tool.name, &output.agent.name, output.changed)
    }
}
