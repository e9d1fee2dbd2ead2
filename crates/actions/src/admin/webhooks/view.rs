//! Webhooks and what was sent to them, as admins see it: never what signs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Ts};
use toolcrib_store::webhooks::{WebhookRow, deliveries::DeliveryRow};

/// A webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WebhookView {
    /// Its id.
    pub id: Id,
    /// Where events are sent.
    pub url: String,
    /// Which events: names, `agent.*` for all of a resource, `*` for all.
    pub types: Vec<String>,
    /// A disabled one is sent nothing.
    pub enabled: bool,
    /// Until when the secret before the last signs too.
    pub previous_secret_until: Option<Ts>,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    pub created_at: Ts,
    /// When it was last changed.
    pub updated_at: Ts,
}

impl From<WebhookRow> for WebhookView {
    fn from(row: WebhookRow) -> Self {
        Self {
            id: row.id,
            url: row.url,
            types: serde_json::from_str(&row.types).unwrap_or_default(),
            enabled: row.enabled,
            previous_secret_until: row.previous_until.map(Ts::from_micros),
            created_by: row.created_by,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DeliveryStatus {
    /// It is tried, now or later.
    Pending,
    /// The receiver took it.
    Delivered,
    /// It was given up after the last attempt.
    Dead,
}

impl DeliveryStatus {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }
}

/// One event for one webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeliveryView {
    /// Its id.
    pub id: Id,
    /// Where it goes.
    pub webhook_id: Id,
    /// The event: `webhook-id` of the message.
    pub event_id: Id,
    /// Such as `agent.created`.
    #[serde(rename = "type")]
    pub event_name: String,
    /// `pending`, `delivered` or `dead`.
    pub status: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub next_at: Option<Ts>,
    /// The HTTP status of the last answer.
    pub answered: Option<i64>,
    /// Why the last attempt failed.
    pub problem: Option<String>,
    /// When the event was taken for this webhook.
    pub created_at: Ts,
    /// When it was last tried.
    pub updated_at: Ts,
}

impl From<DeliveryRow> for DeliveryView {
    fn from(row: DeliveryRow) -> Self {
        Self {
            id: row.id,
            webhook_id: row.webhook_id,
            event_id: row.event_id,
            event_name: row.event_name,
            status: row.status,
            attempts: row.attempts,
            next_at: row.next_at.map(Ts::from_micros),
            answered: row.answered,
            problem: row.problem,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
