//! Get one agent with its whole configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};

use super::view::AgentView;
use crate::shared::refs::{self, Ref};

/// The action.
pub struct GetAgent;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id or exact name.
    pub agent: Ref,
}

impl ReadAction for GetAgent {
    const SPEC: Spec = Spec::read("platform_get_agent", Category::Agents, Permission::AGENTS_READ)
        .promoted()
        .always_offered()
        .describe("Get one agent's whole configuration: prompt, model, tools, skills, plugins, heartbeat, last activity.")
        .tags(&["agent", "details", "configuration", "settings"])
        .examples(&["Show me how the Researcher is set up"]);
    type Input = Input;
    type Output = AgentView;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<AgentView, ActionError> {
        Ok(refs::agent(cx.tx, &input.agent).await?.into())
    }

    fn describe(_: &Input, agent: &AgentView) -> String {
        format!("Agent `{}`", agent.name)
    }
}
