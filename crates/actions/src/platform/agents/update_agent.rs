//! Changes an agent.

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_engine::{prelude::*, shared::normalize_name};
use toolcrib_store::{
    agents::{self, AgentRow},
    standing_work,
};

use super::{AgentRole, AgentStatus};
use crate::shared::{
    blueprint, models, or_conflict,
    refs::{self, Ref},
};

pub struct UpdateAgent(pub Arc<Providers>);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
    /// New name, unique in the workspace.
    pub name: Option<String>,
    /// Kind of work.
    #[schemars(extend("x-plain-words" = true))]
    pub role: Option<AgentRole>,
    /// An installed model.
    pub model: Option<String>,
    /// Purpose of the agent.
    #[schemars(length(min = 1, max = 2000))]
    pub description: Option<String>,
    /// Instructions for the agent.
    #[schemars(length(min = 1, max = 20000))]
    pub system_prompt: Option<String>,
    /// Sampling temperature. Higher is more random.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Keywords to find the agent by. Replaces all tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
    /// New status: `active`, or `inactive`, which stops the agent and its keys.
    pub status: Option<AgentStatus>,
}

/// Result of `platform_update_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Agent after the call.
    #[serde(flatten)]
    pub agent: AgentRow,
    /// Whether the call changed anything.
    pub changed: bool,
    /// Names of the changed fields.
    #[schemars(extend("x-ours" = true))]
    pub changed_fields: Vec<&'static str>,
}

impl WriteAction for UpdateAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_update_agent", Category::Agents, Permission::AGENTS_MANAGE)
            .promoted()
            .standing_work()
            .describe("Change an agent's name, role, model, prompt, temperature, tags or status. Omitted fields stay unchanged.")
            .tags(&["agent", "edit", "rename", "configure", "activate", "deactivate"])
            .examples(&["Switch the support bot to a cheaper model", "Turn off the Researcher"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = refs::agent(cx.tx, &input.agent).await?;
        input.agent = row.id.into();
        if let Some(name) = input.name.as_mut().filter(|name| **name != row.name) {
            normalize_name("/name", name)?;
        }
        if let Some(model) = input.model.as_ref().filter(|model| **model != row.model) {
            models::require(cx, &self.0, model).await?;
        }
        Ok(Target {
            id: Some(row.id),
            label: format!("agent `{}`", row.name),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let found = match input.agent.id() {
            // Other calls that change the agent wait until this one ends.
            Some(id) => agents::lock(cx.tx, id).await?,
            None => None,
        };
        let mut row = found.ok_or_else(|| ActionError::not_found("agent", input.agent.as_str()))?;
        let changed_fields = apply(input, &mut row);
        if changed_fields.is_empty() {
            return Ok(Output { agent: row, changed: false, changed_fields });
        }
        blueprint::admit(cx.tx, &row).await?;
        row.updated_at = cx.now;
        or_conflict(agents::update(cx.tx, &row).await, || {
            ActionError::conflict(format!("an agent named `{}` already exists", row.name))
        })?;
        // The caller who last changed the agent becomes the caller of its background work.
        standing_work::set_caller_of_agent_work(
            cx.tx,
            row.id,
            cx.stored_caller().as_str(),
            cx.caller.principal.user(),
        )
        .await?;
        let data = json!({ "id": row.id, "name": row.name, "changed": changed_fields });
        cx.emit("agent.updated", "agents:read", data);
        Ok(Output { agent: row, changed: true, changed_fields })
    }

    fn describe(_: &Input, output: &Output) -> String {
        if output.changed {
            format!("Updated agent `{}`: {}", output.agent.name, output.changed_fields.join(", "))
        } else {
            format!("Nothing to change: agent `{}` already has these values", output.agent.name)
        }
    }
}

/// Sets the given fields whose values differ, and returns their names.
fn apply(input: &Input, row: &mut AgentRow) -> Vec<&'static str> {
    let mut changed = Vec::new();
    let mut set = |name: &'static str, differs: bool| {
        if differs {
            changed.push(name);
        }
        differs
    };
    let differs = |given: &Option<String>, own: &Option<String>| given.is_some() && given != own;
    if let Some(name) = input.name.clone().filter(|name| set("name", *name != row.name)) {
        row.name = name;
    }
    if let Some(role) = input.role.map(AgentRole::as_str).filter(|role| set("role", *role != row.role)) {
        row.role = role.to_owned();
    }
    if let Some(model) = input.model.clone().filter(|model| set("model", *model != row.model)) {
        row.model = model;
    }
    if set("description", differs(&input.description, &row.description)) {
        row.description.clone_from(&input.description);
    }
    if set("system_prompt", differs(&input.system_prompt, &row.system_prompt)) {
        row.system_prompt.clone_from(&input.system_prompt);
    }
    if set("temperature", input.temperature.is_some() && input.temperature != row.temperature) {
        row.temperature = input.temperature;
    }
    if let Some(tags) = input.tags.clone().filter(|tags| set("tags", *tags != row.tags)) {
        row.tags = tags;
    }
    if let Some(status) = input.status.map(AgentStatus::as_str).filter(|s| set("status", *s != row.status)) {
        row.status = status.to_owned();
    }
    changed
}
