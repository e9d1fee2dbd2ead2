//! A blueprint as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::blueprints::BlueprintRow;

use crate::shared::blueprint::Rules;

/// A blueprint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlueprintView {
    /// Its id.
    pub id: Id,
    /// Its name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub name: String,
    /// What it is for.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub description: Option<String>,
    /// What it asks of agents.
    pub rules: Rules,
    /// Whether new and changed agents are checked against it.
    pub is_default: bool,
    /// When it was made.
    pub created_at: Ts,
    /// When it last changed.
    pub updated_at: Ts,
}

impl BlueprintView {
    /// From what is stored.
    pub fn new(row: BlueprintRow) -> Result<Self, ActionError> {
        Ok(Self {
            id: row.id,
            rules: Rules::parse(&row.rules)?,
            name: row.name,
            description: row.description,
            is_default: row.default_slot.is_some(),
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}
