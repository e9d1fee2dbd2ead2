//! The check that a workspace may use a model.

use toolcrib_assistant::{OperatorProvider, Providers};
use toolcrib_engine::{ActionError, ReadCx, model_upstreams};
use toolcrib_registry::nearest;
use toolcrib_store::{models, workspaces};

/// Returns 422 unless the model is installed in the workspace, is its default model, or is one of the assistant's,
/// named as `GET /v1/assistant/models` lists it.
pub async fn require(cx: &mut ReadCx<'_>, providers: &Providers, model: &str) -> Result<(), ActionError> {
    let has_model = |names: &[String]| names.iter().any(|name| name == model);
    let mut usable = models::installed_names(cx.tx).await?;
    if has_model(&usable) {
        return Ok(());
    }
    usable.extend(workspaces::get(cx.tx).await?.and_then(|own| own.default_model));
    usable.extend(of_assistant(cx, providers).await?);
    if has_model(&usable) {
        return Ok(());
    }
    let names: Vec<&str> = usable.iter().map(String::as_str).collect();
    let hint = match nearest(model, &names) {
        Some(near) => format!("did you mean `{near}`"),
        None => "`platform_list_workspace_models` lists the installed models".to_owned(),
    };
    let message = format!(
        "must be an installed model or one of the assistant's; `{model}` is neither: install it with \
         `platform_install_model`, or name one as `GET /v1/assistant/models` lists it"
    );
    Err(ActionError::invalid("/model", "not_installed", message).hint(hint))
}

/// Returns the operator's models and those of the workspace's upstreams, also of those without a secret yet.
async fn of_assistant(cx: &mut ReadCx<'_>, providers: &Providers) -> Result<Vec<String>, ActionError> {
    let mut names = providers.operator.as_ref().map(OperatorProvider::models).unwrap_or_default();
    for upstream in model_upstreams::list(cx.tx, cx.tools.catalog.rules(), cx.caller).await? {
        names.extend(upstream.models.iter().map(|model| format!("{}/{model}", upstream.name)));
    }
    Ok(names)
}
