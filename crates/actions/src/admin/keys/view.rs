//! A key as callers see it: never its secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Ts};
use toolcrib_store::keys::KeyRow;

/// Who holds a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum KeyKind {
    /// An application.
    Service,
    /// An agent; its rights are those of the member it runs as.
    Agent,
}

impl KeyKind {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Agent => "agent",
        }
    }
}

/// A key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyView {
    /// Its id.
    pub id: Id,
    /// `agent` or `service`.
    pub kind: String,
    /// What people call it.
    pub name: String,
    /// The agent that holds it.
    pub agent_id: Option<Id>,
    /// The member whose role bounds the agent.
    pub runs_as: Option<Id>,
    /// The mission that the agent works in.
    pub mission: Option<Id>,
    /// The role of a service key that acts for nobody.
    pub role: Option<String>,
    /// What it was given.
    pub scopes: Vec<String>,
    /// What it may call as; the first is the default.
    pub caller_types: Vec<String>,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    pub created_at: Ts,
    /// When it ends.
    pub expires_at: Option<Ts>,
    /// When it was revoked.
    pub revoked_at: Option<Ts>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Ts>,
}

impl From<KeyRow> for KeyView {
    fn from(row: KeyRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            name: row.name,
            agent_id: row.agent_id,
            runs_as: row.runs_as,
            mission: row.mission_id,
            role: row.role,
            scopes: serde_json::from_str(&row.scopes).unwrap_or_default(),
            caller_types: serde_json::from_str(&row.caller_types).unwrap_or_default(),
            created_by: row.created_by,
            created_at: row.created_at,
            expires_at: row.expires_at.map(Ts::from_micros),
            revoked_at: row.revoked_at.map(Ts::from_micros),
            last_used_at: row.last_used_at.map(Ts::from_micros),
        }
    }
}
