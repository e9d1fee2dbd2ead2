//! Lists the deliveries of a webhook.

use toolcrib_engine::prelude::*;
use toolcrib_store::webhooks::deliveries::{self, DeliveryRow};

use super::rules;
use crate::shared::page;

toolcrib_model::closed_set! {
    "a delivery status",
    /// What became of a delivery.
    DeliveryStatus {
        /// Waits for its next attempt.
        Pending = "pending",
        /// The receiver accepted it.
        Delivered = "delivered",
        /// The last attempt failed.
        Dead = "dead",
    }
}

pub struct ListDeliveries;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The webhook.
    pub id: Id,
    /// Only deliveries with this status.
    pub status: Option<DeliveryStatus>,
    /// Maximum number of rows.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    #[schemars(length(min = 1, max = 64))]
    pub cursor: Option<String>,
}

impl ReadAction for ListDeliveries {
    type Input = Input;
    type Output = Page<DeliveryRow>;

    fn spec() -> Spec {
        Spec::program("webhooks.list_deliveries", Level::Read, Permission::SETTINGS_MANAGE)
            .describe("List a webhook's deliveries, newest first, with their status.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<DeliveryRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        rules::find(cx.tx, input.id).await?;
        let status = input.status.map(DeliveryStatus::as_str);
        let rows = deliveries::list(cx.tx, input.id, status, cursor, limit + 1).await?;
        let key = |row: &DeliveryRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &Input, page: &Page<DeliveryRow>) -> String {
        format!("Found {}", count(page.items.len(), "delivery"))
    }
}
