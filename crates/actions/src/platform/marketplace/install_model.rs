//! Installs a model of the catalogue in the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    models::{self, ModelRow},
    workspaces,
};

use crate::shared::refs::{self, Ref};

pub struct InstallModel;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The `model` of `platform_list_llms`.
    #[schemars(extend("x-reference" = true))]
    pub model: String,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The model.
    #[serde(flatten)]
    pub model: ModelRow,
    /// Whether agents that name no model use it. The first model of a workspace becomes its default.
    pub default: bool,
    /// Whether the call installed it; false if it was already installed.
    pub changed: bool,
}

impl WriteAction for InstallModel {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_install_model", Category::Marketplace, Permission::MARKETPLACE_MANAGE).creates()
            .describe("Install a model of the catalogue here, so that agents can use it. Use platform_list_llms to find one.")
            .tags(&["marketplace", "model", "llm", "add", "enable"])
            .examples(&["Add gpt-4o-mini to this workspace"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, &input.model).await?;
        Ok(Target { label: format!("model `{}`", row.model), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, &input.model).await?;
        let id = cx.new_id();
        let changed = models::install(cx.tx, id, &row.model, cx.caller.principal.user(), cx.now).await?;
        if changed {
            models::default_to(cx.tx, &row.model, cx.now).await?;
            cx.emit("model.installed", "marketplace:read", json!({ "model": row.model }));
        }
        let default = workspaces::get(cx.tx).await?.and_then(|own| own.default_model);
        Ok(Output { default: default.as_deref() == Some(row.model.as_str()), model: row, changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        if output.changed {
            format!("Installed model `{}`", output.model.model)
        } else {
            format!("Nothing to change: model `{}` is installed already", output.model.model)
        }
    }
}

async fn find(tx: &mut Tx, model: &str) -> Result<ModelRow, ActionError> {
    if let Some(row) = models::get(tx, model).await? {
        return Ok(row);
    }
    let names: Vec<String> = models::all(tx).await?.into_iter().map(|row| row.model).collect();
    Err(refs::missing("model", &Ref(model.to_owned()), &names, "platform_list_llms"))
}
