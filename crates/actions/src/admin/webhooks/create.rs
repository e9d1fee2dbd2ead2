//! Creates a webhook.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{
    events,
    webhooks::{self, WebhookRow},
};

use super::rules;
use crate::webhooks::secrets;

/// The maximum number of webhooks of a workspace.
const MAX_WEBHOOKS: i64 = 10;

pub struct CreateWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// URL to which events are delivered: a public `https` address.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub url: String,
    /// Events to deliver: names such as `agent.created` or `awaiting_permission`, `agent.*` for all events of a
    /// resource, or `*` for all.
    #[schemars(
        length(min = 1, max = 50),
        inner(length(min = 1, max = 80), regex(pattern = r"^(\*|[a-z_]+(\.(\*|[a-z_]+))?)$"))
    )]
    pub types: Vec<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Secret that verifies messages, `whsec_…`. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub secret: String,
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookRow,
}

impl WriteAction for CreateWebhook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("webhooks.create", Level::Write, Permission::SETTINGS_MANAGE).creates().describe(
            "Create a webhook that delivers the workspace's events to a URL. Its secret is shown once.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::types(cx.tools.catalog, &input.types)?;
        input.url = rules::address(cx.tools.catalog, &input.url)?;
        Ok(Target { label: rules::named(&input.url), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        if webhooks::count(cx.tx).await? >= MAX_WEBHOOKS {
            let text = format!("this workspace has {MAX_WEBHOOKS} webhooks, the most it may have");
            return Err(ActionError::conflict(text).hint("delete one, or give one more types"));
        }
        let row = WebhookRow {
            id: cx.new_id(),
            url: rules::address(cx.tools.catalog, &input.url)?,
            types: input.types.clone(),
            enabled: true,
            offset: events::last(cx.tx).await?,
            since: cx.now,
            previous_until: None,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            updated_at: cx.now,
        };
        let (secret, sealed) = secrets::new(cx, row.id)?;
        webhooks::insert(cx.tx, &row, &sealed).await?;
        cx.emit("webhook.created", "settings:manage", json!({ "id": row.id, "types": input.types }));
        Ok(Output { secret, webhook: row })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Made the {}", rules::named(&output.webhook.url))
    }
}
