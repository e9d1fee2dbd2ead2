//! Models as callers see them, and the check that a workspace may use a model.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::ActionError;
use toolcrib_registry::nearest;
use toolcrib_store::{Tx, models, models::ModelRow, workspaces};

/// A model of the catalogue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelView {
    /// The name it is called by, such as `gpt-4o-mini`.
    #[schemars(extend("x-ours" = true))]
    pub model: String,
    /// Provider of the model.
    #[schemars(extend("x-ours" = true))]
    pub provider: String,
    /// Display name.
    #[schemars(extend("x-ours" = true))]
    pub name: String,
    /// Size of the context, in tokens.
    pub context_tokens: i64,
    /// Maximum number of output tokens.
    pub max_output_tokens: i64,
    /// Millionths of a US dollar for a million input tokens.
    pub input_microusd_per_mtok: i64,
    /// Millionths of a US dollar for a million output tokens.
    pub output_microusd_per_mtok: i64,
    /// Capabilities: `tools`, `vision`, `reasoning`, `json`.
    #[schemars(extend("x-ours" = true))]
    pub capabilities: Vec<String>,
    /// `free`, `budget`, `mid` or `premium`.
    #[schemars(extend("x-ours" = true))]
    pub tier: String,
}

impl From<ModelRow> for ModelView {
    fn from(row: ModelRow) -> Self {
        Self {
            model: row.model,
            provider: row.provider,
            name: row.name,
            context_tokens: row.context_tokens,
            max_output_tokens: row.max_output_tokens,
            input_microusd_per_mtok: row.input_microusd_per_mtok,
            output_microusd_per_mtok: row.output_microusd_per_mtok,
            capabilities: serde_json::from_str(&row.capabilities).unwrap_or_default(),
            tier: row.tier,
        }
    }
}

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
