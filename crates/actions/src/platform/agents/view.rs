//! An agent as callers see it, and the words of its fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Ts};
use toolcrib_store::agents::{AgentRow, ListedAgent};

/// What kind of work an agent does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AgentRole {
    /// Talks with people.
    #[default]
    Chatbot,
    /// Does recurring work.
    Worker,
    /// Finds things out.
    Researcher,
    /// Writes programs.
    Coder,
}

impl AgentRole {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chatbot => "chatbot",
            Self::Worker => "worker",
            Self::Researcher => "researcher",
            Self::Coder => "coder",
        }
    }
}

/// Whether an agent may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AgentStatus {
    /// It may.
    Active,
    /// It may not; its keys are refused.
    Inactive,
}

impl AgentStatus {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

/// An agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentView {
    /// Its id.
    pub id: Id,
    /// Its name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Fixed at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// The model it uses.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// What it is for.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Its instructions.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub system_prompt: Option<String>,
    /// 0 (plain) to 2 (wild); the model's default where null.
    pub temperature: Option<f64>,
    /// Words to find it by.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub tags: Vec<String>,
    /// When it was made.
    pub created_at: Ts,
    /// When it last changed.
    pub updated_at: Ts,
    /// When it last did something.
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

/// An agent in a list: without its instructions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentSummary {
    /// Its id.
    pub id: Id,
    /// Its name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Fixed at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// The model it uses.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// What it is for.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Words to find it by.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub tags: Vec<String>,
    /// How many connected apps it was given.
    pub tool_count: i64,
    /// How many skills it was given.
    pub skill_count: i64,
    /// How many plugins it was given.
    pub plugin_count: i64,
    /// Whether its heartbeat beats.
    pub heartbeat: bool,
    /// When it was made.
    pub created_at: Ts,
    /// When it last changed.
    pub updated_at: Ts,
    /// When it last did something, or one of its keys was last used (to the minute).
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
