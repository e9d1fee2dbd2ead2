//! Resolves a reference to a blueprint.

use toolcrib_engine::ActionError;
use toolcrib_store::{Tx, WriteTx, blueprints, blueprints::BlueprintRow};

use crate::shared::refs::{Ref, missing};

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
