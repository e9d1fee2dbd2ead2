//! Creates an agent in the caller's workspace.

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_engine::{Catalog, prelude::*, shared::normalize_name};
use toolcrib_model::Role;
use toolcrib_store::{
    Tx,
    agents::{self, AgentRow, NewAgentFacts},
    marketplace,
};

use super::AgentRole;
use crate::shared::{blueprint, models, or_conflict};

pub struct CreateAgent(pub Arc<Providers>);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the agent, unique in the workspace.
    pub name: String,
    /// Kind of work. Default: `chatbot`.
    pub role: Option<AgentRole>,
    /// An installed model. Default: the workspace's default model.
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
    /// Keywords to find the agent by.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
}

impl WriteAction for CreateAgent {
    type Input = Input;
    type Output = AgentRow;

    fn spec() -> Spec {
        Spec::write("platform_create_agent", Category::Agents, Permission::AGENTS_MANAGE).creates()
            .promoted()
            .notifies_admins()
            .describe("Create an agent in this workspace. Returns the agent with its id. To change an agent, use platform_update_agent.")
            .tags(&["agent", "new", "bot", "onboarding"])
            .examples(&["Create a research agent that uses the cheapest model"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        normalize_name("/name", &mut input.name)?;
        if reserved(cx.tools.catalog, &input.name).is_some() && cx.caller.role < Some(Role::Admin) {
            return Err(not_yours(&input.name));
        }
        let facts = new_agent_facts(cx.tx, &input.name).await?;
        if facts.taken {
            return Err(taken(&input.name));
        }
        match &input.model {
            Some(model) => models::require(cx, &self.0, model).await?,
            None if facts.default_model.is_none() => return Err(no_model()),
            None => {}
        }
        Ok(Target { label: format!("agent `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<AgentRow, ActionError> {
        let facts = new_agent_facts(cx.tx, &input.name).await?;
        let row = row(cx, input, facts.default_model)?;
        if let (Some(name), Some(rules)) = (&facts.blueprint, &facts.rules) {
            blueprint::check(name, rules, &row)?;
        }
        // An agent with the name of an approved marketplace template counts as that template, installed.
        if let Some(template) = facts.template {
            marketplace::install(cx.tx, template, "agent", row.created_by, cx.now).await?;
        }
        or_conflict(agents::insert(cx.tx, &row).await, || taken(&input.name))?;
        cx.emit("agent.created", "agents:read", json!({ "id": row.id, "name": row.name, "role": row.role }));
        Ok(row)
    }

    fn describe(_: &Input, agent: &AgentRow) -> String {
        format!("Created agent `{}`", agent.name)
    }
}

async fn new_agent_facts(tx: &mut Tx, name: &str) -> Result<NewAgentFacts, ActionError> {
    let facts = agents::new_agent_facts(tx, name).await?;
    facts.ok_or_else(|| ActionError::internal("the workspace is gone"))
}

fn taken(name: &str) -> ActionError {
    ActionError::conflict(format!("an agent named `{name}` already exists"))
        .hint("choose another name, or change the existing agent with `platform_update_agent`")
}

fn row(cx: &mut WriteCx<'_>, input: &Input, default: Option<String>) -> Result<AgentRow, ActionError> {
    let id = cx.new_id();
    let model = input.model.clone().or(default).ok_or_else(no_model)?;
    Ok(AgentRow {
        id,
        name: input.name.clone(),
        slug: reserved(cx.tools.catalog, &input.name)
            .unwrap_or_else(|| slug(&input.name, &id.simple().to_string())),
        role: input.role.unwrap_or_default().as_str().to_owned(),
        model,
        status: "active".to_owned(),
        description: input.description.clone(),
        system_prompt: input.system_prompt.clone(),
        temperature: input.temperature,
        tags: input.tags.clone().unwrap_or_default(),
        version: 1,
        created_by: cx.caller.principal.user(),
        created_at: cx.now,
        updated_at: cx.now,
        last_active_at: None,
    })
}

fn no_model() -> ActionError {
    ActionError::invalid("/model", "required", "is required: this workspace has no default model")
        .hint("give `model`, or install a model with `platform_install_model`: the first becomes the default")
}

/// Returns the slug of the name if actions are granted to that name. Such an agent's slug has no suffix.
fn reserved(catalog: &Catalog, name: &str) -> Option<String> {
    Some(plain_slug(name)).filter(|slug| catalog.registry().names_caller(slug))
}

fn not_yours(name: &str) -> ActionError {
    ActionError::new(
        ErrorCode::PermissionDenied,
        format!("the name `{name}` is reserved because some actions are granted to it by name"),
    )
    .hint("choose another name, or ask a workspace admin to create this agent")
}

/// Returns the lower-case letters and digits of the name, with the end of the ID to make the slug unique.
fn slug(name: &str, unique: &str) -> String {
    let tail = unique.get(unique.len().saturating_sub(6)..).unwrap_or(unique);
    let head = plain_slug(name);
    if head.is_empty() { format!("agent-{tail}") } else { format!("{head}-{tail}") }
}

fn plain_slug(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-").chars().take(60).collect()
}
