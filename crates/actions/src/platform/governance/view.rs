//! A blueprint as callers see it, and its references.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx, WriteTx,
    blueprints::{self, BlueprintRow},
};

use crate::shared::{
    blueprint::Rules,
    refs::{Ref, missing},
};

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

/// Returns the blueprint of this reference. 404 with similar names if there is none.
pub async fn blueprint(tx: &mut Tx, reference: &Ref) -> Result<BlueprintRow, ActionError> {
    let found = match reference.id() {
        Some(id) => blueprints::get(tx, id).await?,
        None => blueprints::by_name(tx, reference.as_str()).await?,
    };
    match found {
        Some(row) => Ok(row),
        None => {
            Err(missing("blueprint", reference, &blueprints::names(tx).await?, "platform_list_blueprints"))
        }
    }
}

/// Returns the blueprint that was resolved to this ID. Other calls that change it wait until this one ends.
pub async fn lock(tx: &mut WriteTx, reference: &Ref) -> Result<BlueprintRow, ActionError> {
    let found = match reference.id() {
        Some(id) => blueprints::lock(tx, id).await?,
        None => None,
    };
    found.ok_or_else(|| ActionError::not_found("blueprint", reference.as_str()))
}

/// Returns the 409 error of a name that another blueprint has.
pub fn taken(name: &str) -> ActionError {
    ActionError::conflict(format!("a blueprint named `{name}` already exists"))
        .hint("choose another name, or change the existing blueprint with `platform_update_blueprint`")
}
