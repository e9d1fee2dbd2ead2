//! Deletes a webhook.

use toolcrib_engine::prelude::*;
use toolcrib_store::webhooks;

use super::rules;

pub struct DeleteWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted webhook.
    pub id: Id,
    /// URL of the deleted webhook.
    pub url: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteWebhook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("webhooks.delete", Level::Write, Permission::SETTINGS_MANAGE)
            .deletes()
            .describe("Delete a webhook and its pending deliveries.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.id).await?;
        Ok(Target { id: Some(row.id), label: rules::named(&row.url), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = rules::find(cx.tx, input.id).await?;
        webhooks::delete(cx.tx, row.id).await?;
        cx.emit("webhook.deleted", "settings:manage", json!({ "id": row.id }));
        Ok(Output { id: row.id, url: row.url, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Removed the {}", rules::named(&output.url))
    }
}
