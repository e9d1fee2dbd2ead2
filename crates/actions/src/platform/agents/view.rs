//! An agent as callers see it, and the enums of its fields.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::agents::{AgentRow, ListedAgent};

toolcrib_model::closed_set! {
    "an agent role",
    /// Kind of work of an agent.
    #[derive(Default)]
    AgentRole {
        /// Talks with people.
        #[default]
        Chatbot = "chatbot",
        /// Does recurring work.
        Worker = "worker",
        /// Collects information.
        Researcher = "researcher",
        /// Writes programs.
        Coder = "coder",
    }
}

toolcrib_model::closed_set! {
    "an agent status",
    /// Whether an agent may act.
    AgentStatus {
        /// May act.
        Active = "active",
        /// May not act, and its keys are refused.
        Inactive = "inactive",
    }
}

/// Configuration of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentView {
    /// ID of the agent.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Slug, set at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// Role: `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// Model of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// Status: `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Purpose of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Instructions for the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub system_prompt: Option<String>,
    /// Sampling temperature, 0 to 2; null means the model's default.
    pub temperature: Option<f64>,
    /// Keywords to find the agent by.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub tags: Vec<String>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
    /// Time of the agent's last activity; null if it was never active.
    pub last_active_at: Option<Ts>,
}

impl From<AgentRow> for AgentView {
    fn from(row: AgentRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            slug: row.slug,
            role: row.role,
            model: row.model,
            status: row.status,
            description: row.description,
            system_prompt: row.system_prompt,
            temperature: row.temperature,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_active_at: row.last_active_at.map(Ts::from_micros),
        }
    }
}

/// An agent without its instructions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentSummary {
    /// ID of the agent.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Slug, set at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// Role: `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// Model of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// Status: `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Purpose of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Keywords to find the agent by.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub tags: Vec<String>,
    /// Number of assigned apps.
    pub tool_count: i64,
    /// Number of assigned skills.
    pub skill_count: i64,
    /// Number of assigned plugins.
    pub plugin_count: i64,
    /// Whether the heartbeat is on.
    pub heartbeat: bool,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
    /// Time of the last activity or of the last use of a key (to the minute); null if there was none.
    pub last_active_at: Option<Ts>,
}

impl From<ListedAgent> for AgentSummary {
    fn from(row: ListedAgent) -> Self {
        Self {
            id: row.id,
            name: row.name,
            slug: row.slug,
            role: row.role,
            model: row.model,
            status: row.status,
            description: row.description,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            tool_count: row.tool_count,
            skill_count: row.skill_count,
            plugin_count: row.plugin_count,
            heartbeat: row.heartbeat,
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_active_at: row.last_active_at.map(Ts::from_micros),
        }
    }
}
