//! Changes a webhook, disables or enables it.

use secrecy::SecretString;
use toolcrib_engine::{Catalog, prelude::*};
use toolcrib_store::{
    events,
    webhooks::{self, WebhookReceiver, WebhookRow, deliveries},
};

use super::rules::{self, Sending};
use crate::webhooks::{PAUSE, format::WebhookFormat, secrets};

/// The age of a message to people that is still sent when its webhook is enabled again, in seconds.
const MAX_MESSAGE_AGE: i64 = 86_400;

pub struct UpdateWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook.
    pub id: Id,
    /// URL to which events are delivered, or base address of the service: a public `https` address. With another base
    /// address the secret of the service is needed again.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub url: Option<String>,
    /// Who receives the messages, as a whole.
    pub receiver: Option<WebhookReceiver>,
    /// Secret of the service, as when it was created.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive" = true))]
    pub secret: Option<String>,
    /// Events to deliver: names, `agent.*` for all events of a resource, or `*` for all.
    #[schemars(
        length(min = 1, max = 50),
        inner(length(min = 1, max = 80), regex(pattern = r"^(\*|[a-z_]+(\.(\*|[a-z_]+))?)$"))
    )]
    pub types: Option<Vec<String>>,
    /// Whether events are delivered. Events that happen while it is `false` are never delivered.
    pub enabled: Option<bool>,
}

impl Input {
    /// Returns the URL that is stored, or 422. A stored secret stays valid for its address alone. An address that the
    /// operator no longer allows stays, so that its webhook can be switched off.
    fn address(&self, catalog: &Catalog, row: &WebhookRow) -> Result<String, ActionError> {
        if self.url.is_none() && self.receiver.is_none() && self.secret.is_none() {
            return Ok(row.url.clone());
        }
        let format = WebhookFormat::of(row);
        let stored = Some(row.url.as_str());
        let sending = Sending {
            url: self.url.as_deref().or(stored.filter(|_| format != WebhookFormat::Slack)),
            receiver: self.receiver.as_ref().or(row.receiver.as_ref()),
            secret: self.secret.as_deref(),
            stored: stored.filter(|_| format != WebhookFormat::Standard),
        };
        sending.checked(catalog, format)
    }
}

impl WriteAction for UpdateWebhook {
    type Input = Input;
    type Output = WebhookRow;

    fn spec() -> Spec {
        Spec::program("webhooks.update", Level::Write, Permission::SETTINGS_MANAGE).describe(
            "Change the URL, the receiver, the secret or the events of a webhook, or disable or enable it.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.id).await?;
        if let Some(types) = &input.types {
            rules::types(cx.tools.catalog, WebhookFormat::of(&row), types)?;
        }
        input.address(cx.tools.catalog, &row)?;
        Ok(Target { id: Some(row.id), label: rules::named(&row.url), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<WebhookRow, ActionError> {
        // The worker, or another call, may change the row meanwhile.
        let locked = webhooks::lock(cx.tx, input.id).await?;
        let mut row = locked.ok_or_else(|| rules::missing(input.id))?;
        row.url = input.address(cx.tools.catalog, &row)?;
        if let Some(receiver) = &input.receiver {
            row.receiver = Some(receiver.clone());
        }
        if let Some(types) = &input.types {
            row.types.clone_from(types);
        }
        if let Some(enabled) = input.enabled {
            if enabled && !row.enabled {
                (row.offset, row.since) = (events::last(cx.tx).await?, cx.now);
                give_up_old_messages(cx, &row).await?;
            }
            row.enabled = enabled;
        }
        row.updated_at = cx.now;
        let secret = input.secret.as_deref().map(SecretString::from);
        let sealed = secret.map(|secret| secrets::seal(cx, &row, &secret)).transpose()?;
        webhooks::update(cx.tx, &row, sealed.as_deref()).await?;
        webhooks::lift_wait(cx.tx, row.id, cx.now, cx.now.plus_seconds(PAUSE)).await?;
        cx.emit("webhook.updated", "settings:manage", json!({ "id": row.id, "enabled": row.enabled }));
        Ok(row)
    }

    fn describe(_: &Input, output: &WebhookRow) -> String {
        format!("Changed the {}", rules::named(&output.url))
    }
}

/// Gives up the messages to people that nobody waits for any more.
async fn give_up_old_messages(cx: &mut WriteCx<'_>, row: &WebhookRow) -> Result<(), ActionError> {
    if WebhookFormat::of(row) == WebhookFormat::Standard {
        return Ok(());
    }
    let before = cx.now.plus_seconds(-MAX_MESSAGE_AGE);
    let problem = "the message was older than a day when its webhook was enabled again";
    Ok(deliveries::give_up(cx.tx, row.id, before, problem, cx.now).await?)
}
