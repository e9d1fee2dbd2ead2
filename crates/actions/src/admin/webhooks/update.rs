//! Changes a webhook, disables or enables it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_model::Id;
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{
    events,
    webhooks::{self, WebhookRow},
};

use super::rules;

pub struct UpdateWebhook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook.
    pub id: Id,
    /// URL to which events are delivered: a public `https` address.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub url: Option<String>,
    /// Events to deliver: names, `agent.*` for all events of a resource, or `*` for all.
    #[schemars(
        length(min = 1, max = 50),
        inner(length(min = 1, max = 80), regex(pattern = r"^(\*|[a-z_]+(\.(\*|[a-z_]+))?)$"))
    )]
    pub types: Option<Vec<String>>,
    /// Whether events are delivered. Events that happen while it is `false` are never delivered.
    pub enabled: Option<bool>,
}

impl WriteAction for UpdateWebhook {
    type Input = Input;
    type Output = WebhookRow;

    fn spec() -> Spec {
        Spec::program("webhooks.update", Level::Write, Permission::SETTINGS_MANAGE)
            .describe("Change the URL or the events of a webhook, or disable or enable it.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.id).await?;
        if let Some(types) = &input.types {
            rules::types(cx.tools.catalog, types)?;
        }
        if let Some(url) = &mut input.url {
            *url = rules::address(cx.tools.catalog, url)?;
        }
        Ok(Target { id: Some(row.id), label: rules::label(&row), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<WebhookRow, ActionError> {
        let mut row = rules::find(cx.tx, input.id).await?;
        if let Some(url) = &input.url {
            row.url = rules::address(cx.tools.catalog, url)?;
        }
        if let Some(types) = &input.types {
            row.types.clone_from(types);
        }
        if let Some(enabled) = input.enabled {
            if enabled && !row.enabled {
                (row.offset, row.since) = (events::last(cx.tx).await?, cx.now);
            }
            row.enabled = enabled;
        }
        row.updated_at = cx.now;
        webhooks::update(cx.tx, &row).await?;
        cx.emit("webhook.updated", "settings:manage", json!({ "id": row.id, "enabled": row.enabled }));
        Ok(row)
    }

    fn describe(_: &Input, output: &WebhookRow) -> String {
        format!("Changed the {}", rules::named(&output.url))
    }
}
