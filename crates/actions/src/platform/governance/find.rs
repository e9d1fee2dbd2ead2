//! Which blueprint is meant.

use toolcrib_engine::ActionError;
use toolcrib_store::{Tx, blueprints, blueprints::BlueprintRow};

use crate::shared::refs::{Ref, missing};

/// The blueprint that is meant; 404 with near names where there is none.
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

/// 409: the name belongs to another blueprint.
pub fn taken(name: &str) -> ActionError {
    ActionError::conflict(format!("a blueprint named `{name}` exists already"))
        .hint("choose another name, or change that one with `platform_update_blueprint`")
}
