//! The check that a workspace may use a model.

use toolcrib_engine::ActionError;
use toolcrib_registry::nearest;
use toolcrib_store::{Tx, models, workspaces};

/// Returns 422 unless the model is installed in the workspace or is its default model.
pub async fn require(tx: &mut Tx, model: &str) -> Result<(), ActionError> {
    let installed = models::installed_names(tx).await?;
    if installed.iter().any(|name| name == model) {
        return Ok(());
    }
    if workspaces::get(tx).await?.is_some_and(|own| own.default_model.as_deref() == Some(model)) {
        return Ok(());
    }
    let names: Vec<&str> = installed.iter().map(String::as_str).collect();
    let hint = match nearest(model, &names) {
        Some(near) => format!("did you mean `{near}`; else install it with `platform_install_model`"),
        None => {
            "install it with `platform_install_model`; `platform_list_workspace_models` lists those installed"
                .to_owned()
        }
    };
    let message =
        format!("must be an installed model; `{model}` is not: install it with `platform_install_model`");
    Err(ActionError::invalid("/model", "not_installed", message).hint(hint))
}
