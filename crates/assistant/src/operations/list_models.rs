//! Lists the models that the caller may choose.

use std::sync::Arc;

use toolcrib_engine::prelude::*;

use crate::{
    providers::{ChosenModel, Providers, default_model},
    view::owner,
};

pub struct ListModels(pub Arc<Providers>);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// Models.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Models {
    /// Names of the models; those of an upstream as `upstream/model`.
    pub items: Vec<String>,
    /// Model of a run that names none.
    pub default: Option<String>,
}

impl ReadAction for ListModels {
    type Input = Input;
    type Output = Models;

    fn spec() -> Spec {
        Spec::program("assistant.list_models", Level::Read, Permission::ASSISTANT_USE).describe(
            "List the models that runs of the caller may use; none where no provider is configured.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &Input) -> Result<Models, ActionError> {
        owner(cx.caller)?;
        let all = match self.0.list(cx.tx, cx.tools.catalog.rules(), cx.caller).await {
            Err(error) if error.code == ErrorCode::ConnectorNotConfigured => Vec::new(),
            found => found?,
        };
        let items = all.iter().map(ChosenModel::name).collect();
        let default =
            if all.is_empty() { None } else { Some(default_model(cx.tx, all, None).await?.0.name()) };
        Ok(Models { items, default })
    }

    fn describe(_: &Input, models: &Models) -> String {
        format!("Found {}", count(models.items.len(), "model"))
    }
}
