//! Assigns an installed plugin to an agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::assignments;

use super::assigned::{self, AgentName, AssignedItem};
use crate::shared::{
    items::ItemKind,
    refs::{self, Ref},
};

pub struct AssignPluginToAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// ID, slug or exact name of an installed plugin.
    pub plugin: Ref,
}

/// Result of `platform_assign_plugin_to_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Agent that has the plugin.
    pub agent: AgentName,
    /// The assigned plugin.
    pub plugin: AssignedItem,
    /// Whether the assignment is new.
    pub changed: bool,
}

impl WriteAction for AssignPluginToAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_assign_plugin_to_agent", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Give an agent a plugin that is installed in this workspace. Install one first with platform_install_plugin.")
            .tags(&["agent", "plugin", "assign", "extension", "enable"])
            .examples(&["Give the Researcher the web reader plugin"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let item = assigned::installed(cx.tx, ItemKind::Plugin, &input.plugin).await?;
        input.plugin = item.id.into();
        assigned::target(cx, &mut input.agent, &format!("plugin `{}`", item.name)).await
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let item = assigned::installed(cx.tx, ItemKind::Plugin, &input.plugin).await?;
        let (row, changed) = assignments::add_plugin(cx.tx, agent.id, item.id, cx.now).await?;
        let row = row.ok_or_else(|| ActionError::not_found("plugin", input.plugin.as_str()))?;
        if changed {
            assigned::emit(cx, "plugin", agent.id, &row);
        }
        Ok(Output { agent: agent.into(), plugin: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        assigned::describe("plugin", &output.plugin.name, &output.agent.name, output.changed)
    }
}
