//! Gets one agent with its whole configuration.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    agents::AgentRow,
    assignments::{self, AssignedRow},
    heartbeats,
};

use super::{
    assigned::{AssignedItem, AssignedTool},
    heartbeat::HeartbeatView,
};
use crate::shared::refs::{self, Ref};

pub struct GetAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
}

/// Result of `platform_get_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Configuration of the agent.
    #[serde(flatten)]
    pub agent: AgentRow,
    /// Connected apps that are assigned to the agent.
    pub tools: Vec<AssignedTool>,
    /// Skills of the agent.
    pub skills: Vec<AssignedItem>,
    /// Plugins of the agent.
    pub plugins: Vec<AssignedItem>,
    /// Heartbeat of the agent; null if none was configured.
    pub heartbeat: Option<HeartbeatView>,
}

impl ReadAction for GetAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_agent", Category::Agents, Permission::AGENTS_READ)
            .promoted()
            .always_offered()
            .describe("Get one agent's whole configuration: prompt, model, tools, skills, plugins, heartbeat, last activity.")
            .tags(&["agent", "details", "configuration", "settings"])
            .examples(&["Show me how the Researcher is set up"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = refs::agent(cx.tx, &input.agent).await?;
        let given = |rows: Vec<AssignedRow>| rows.into_iter().map(AssignedItem::from).collect();
        let tools = assignments::tools(cx.tx, row.id).await?;
        let skills = assignments::skills(cx.tx, row.id).await?;
        let plugins = assignments::plugins(cx.tx, row.id).await?;
        let heartbeat = heartbeats::get(cx.tx, row.id).await?;
        Ok(Output {
            tools: tools.into_iter().map(AssignedTool::from).collect(),
            skills: given(skills),
            plugins: given(plugins),
            heartbeat: heartbeat.map(HeartbeatView::from),
            agent: row,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Agent `{}`", output.agent.name)
    }
}
