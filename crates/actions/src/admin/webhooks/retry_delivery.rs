//! Makes a delivery due immediately.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    webhooks::{
        self,
        deliveries::{self, DeliveryRow},
    },
};

use super::rules;
use crate::webhooks::PAUSE;

pub struct RetryDelivery;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The delivery.
    pub id: Id,
}

impl WriteAction for RetryDelivery {
    type Input = Input;
    type Output = DeliveryRow;

    fn spec() -> Spec {
        Spec::program("webhooks.retry_delivery", Level::Write, Permission::SETTINGS_MANAGE)
            .describe("Send a delivery again at once, whatever its status; its attempts start again from 0.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.id).await?;
        Ok(Target {
            id: Some(row.id),
            label: format!("delivery of `{}`", row.event_name),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DeliveryRow, ActionError> {
        let row = find(cx.tx, input.id).await?;
        // The webhook is locked before its deliveries, as the worker does, which may claim one meanwhile.
        let webhook = webhooks::lock(cx.tx, row.webhook_id).await?;
        if !webhook.ok_or_else(|| rules::missing(row.webhook_id))?.enabled {
            return Err(ActionError::conflict("its webhook is disabled").hint("enable the webhook first"));
        }
        if !deliveries::retry(cx.tx, &row, cx.now).await? {
            return Err(ActionError::conflict("it is being tried at this moment").hint("look at it again"));
        }
        webhooks::lift_wait(cx.tx, row.webhook_id, cx.now, cx.now.plus_seconds(PAUSE)).await?;
        find(cx.tx, row.id).await
    }

    fn describe(_: &Input, output: &DeliveryRow) -> String {
        format!("Tries the delivery of `{}` again", output.event_name)
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<DeliveryRow, ActionError> {
    let found = deliveries::get(tx, id).await?;
    found.ok_or_else(|| ActionError::not_found("delivery", &id.to_string()))
}
