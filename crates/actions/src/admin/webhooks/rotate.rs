//! Replaces the secret of a webhook.

use toolcrib_engine::prelude::*;
use toolcrib_store::webhooks::{self, WebhookRow};

use super::rules;
use crate::webhooks::{format::WebhookFormat, secrets};

/// How long the previous secret also signs, in seconds.
const OVERLAP: i64 = 24 * 3600;

pub struct RotateWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// New secret that verifies messages, `whsec_…`. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub secret: String,
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookRow,
}

impl WriteAction for RotateWebhook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("webhooks.rotate", Level::Write, Permission::SETTINGS_MANAGE).describe(
            "Give a webhook a new secret. For one day, messages are signed with the previous secret too.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.id).await?;
        if WebhookFormat::of(&row) != WebhookFormat::Standard {
            let detail = format!("messages of the format `{}` have no signature", row.format);
            return Err(ActionError::conflict(detail).hint("`PATCH` the webhook to store another secret"));
        }
        Ok(Target { id: Some(row.id), label: rules::named(&row.url), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mut row = rules::find(cx.tx, input.id).await?;
        let (secret, sealed) = secrets::new(cx, &row)?;
        let until: Ts = cx.now.plus_seconds(OVERLAP);
        webhooks::rotate(cx.tx, row.id, &sealed, until, cx.now).await?;
        (row.previous_until, row.updated_at) = (Some(until), cx.now);
        cx.emit("webhook.updated", "settings:manage", json!({ "id": row.id, "rotated": true }));
        Ok(Output { secret, webhook: row })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Gave the {} a new secret", rules::named(&output.webhook.url))
    }
}
