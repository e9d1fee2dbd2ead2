//! Creates a webhook.

use toolcrib_engine::{Catalog, prelude::*};
use toolcrib_store::{
    events,
    webhooks::{self, WebhookReceiver, WebhookRow},
};

use super::rules::{self, Sending};
use crate::webhooks::{format::WebhookFormat, secrets};

/// The maximum number of webhooks of a workspace.
const MAX_WEBHOOKS: i64 = 10;

pub struct CreateWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is sent. Default: `standard`.
    pub format: Option<WebhookFormat>,
    /// URL to which events are delivered: a public `https` address. For `telegram` and `twilio` the base address of the
    /// service, which has a default. Not for `slack`.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub url: Option<String>,
    /// Who receives the messages of `telegram` and `twilio`.
    pub receiver: Option<WebhookReceiver>,
    /// Secret of the service: for `slack` the URL of the incoming webhook, for `telegram` the token of the bot, for `twilio`
    /// the token of the account. Stored encrypted and never shown.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive" = true))]
    pub secret: Option<String>,
    /// Events to deliver: names such as `agent.created` or `awaiting_permission`, `agent.*` for all events of a
    /// resource, or `*` for all. Messages to people are `notification.created` and `awaiting_permission`.
    #[schemars(
        length(min = 1, max = 50),
        inner(length(min = 1, max = 80), regex(pattern = r"^(\*|[a-z_]+(\.(\*|[a-z_]+))?)$"))
    )]
    pub types: Vec<String>,
}

impl Input {
    fn format(&self) -> WebhookFormat {
        self.format.unwrap_or(WebhookFormat::Standard)
    }

    /// Returns the URL that is stored, or 422.
    fn address(&self, catalog: &Catalog) -> Result<String, ActionError> {
        let (url, secret) = (self.url.as_deref(), self.secret.as_deref());
        Sending { url, receiver: self.receiver.as_ref(), secret, stored: None }
            .checked(catalog, self.format())
    }
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Secret that verifies events, `whsec_…`. Shown only once. Null for messages to people, which have no signature.
    #[schemars(extend("x-secret" = true))]
    pub secret: Option<String>,
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookRow,
}

impl WriteAction for CreateWebhook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("webhooks.create", Level::Write, Permission::SETTINGS_MANAGE).creates().describe(
            "Create a webhook that delivers the workspace's events to a URL, or messages to people by Slack, Telegram or \
             Twilio.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::types(cx.tools.catalog, input.format(), &input.types)?;
        let url = input.address(cx.tools.catalog)?;
        Ok(Target { label: rules::named(&url), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        if webhooks::count(cx.tx).await? >= MAX_WEBHOOKS {
            let text = format!("this workspace has {MAX_WEBHOOKS} webhooks, the most it may have");
            return Err(ActionError::conflict(text).hint("delete one, or give one more types"));
        }
        let row = WebhookRow {
            id: cx.new_id(),
            format: input.format().as_str().to_owned(),
            url: input.address(cx.tools.catalog)?,
            receiver: input.receiver.clone(),
            types: input.types.clone(),
            enabled: true,
            offset: events::last(cx.tx).await?,
            since: cx.now,
            previous_until: None,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            updated_at: cx.now,
        };
        let (secret, sealed) = match &input.secret {
            Some(secret) => (None, secrets::seal(cx, &row, &secret.as_str().into())?),
            None => secrets::new(cx, &row).map(|(secret, sealed)| (Some(secret), sealed))?,
        };
        webhooks::insert(cx.tx, &row, &sealed).await?;
        cx.emit("webhook.created", "settings:manage", json!({ "id": row.id, "types": input.types }));
        Ok(Output { secret, webhook: row })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Made the {}", rules::named(&output.webhook.url))
    }
}
