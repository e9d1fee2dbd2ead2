//! A memory as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{Tx, memories::MemoryRow};

use crate::shared::refs::{self, Ref};

/// A memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryView {
    /// ID.
    pub id: Id,
    /// ID of the agent that owns the memory; null for memories of the workspace.
    pub agent_id: Option<Id>,
    /// `note`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// Stored text.
    #[schemars(extend("x-untrusted" = "memories"))]
    pub content: String,
    /// Tags.
    #[schemars(extend("x-untrusted" = "memories"))]
    pub tags: Vec<String>,
    /// The member who stored it, or for whom it was stored.
    pub created_by: Option<Id>,
    /// When it was stored.
    pub created_at: Ts,
}

impl From<MemoryRow> for MemoryView {
    fn from(row: MemoryRow) -> Self {
        Self {
            id: row.id,
            agent_id: owner(row.agent_id),
            kind: row.kind,
            content: row.content,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

/// Returns the agent of a memory. The store uses the nil ID for memories of the whole workspace.
pub fn owner(agent_id: Id) -> Option<Id> {
    (!agent_id.is_nil()).then_some(agent_id)
}

/// Returns the ID of the referenced agent, if there is a reference.
pub async fn agent_id(tx: &mut Tx, reference: Option<&Ref>) -> Result<Option<Id>, ActionError> {
    match reference {
        Some(reference) => Ok(Some(refs::agent(tx, reference).await?.id)),
        None => Ok(None),
    }
}
