//! A blueprint as callers see it.

use toolcrib_engine::prelude::*;
use toolcrib_store::blueprints::BlueprintRow;

use crate::shared::blueprint::Rules;

/// A blueprint: rules for agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlueprintView {
    /// ID of the blueprint.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub name: String,
    /// Purpose of the blueprint.
    #[schemars(extend("x-untrusted" = "blueprints"))]
    pub description: Option<String>,
    /// Rules for agents.
    pub rules: Rules,
    /// Whether new and changed agents are checked against the blueprint.
    pub is_default: bool,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
}

impl BlueprintView {
    /// Converts the stored row.
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
