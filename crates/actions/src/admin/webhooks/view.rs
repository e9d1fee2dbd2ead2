//! Webhooks and deliveries as admins see them, without secrets.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::webhooks::{WebhookRow, deliveries::DeliveryRow};

/// A webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WebhookView {
    /// ID.
    pub id: Id,
    /// URL to which events are delivered.
    pub url: String,
    /// Events to deliver: names, `agent.*` for all events of a resource, or `*` for all.
    pub types: Vec<String>,
    /// Whether events are delivered.
    pub enabled: bool,
    /// Time until which deliveries are also signed with the previous secret.
    pub previous_secret_until: Option<Ts>,
    /// User who created it.
    pub created_by: Option<Id>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
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

/// A delivery of one event to one webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeliveryView {
    /// ID.
    pub id: Id,
    /// ID of the webhook.
    pub webhook_id: Id,
    /// ID of the event: the `webhook-id` of the message.
    pub event_id: Id,
    /// Name of the event, such as `agent.created`.
    #[serde(rename = "type")]
    pub event_name: String,
    /// `pending`, `delivered` or `dead`.
    pub status: String,
    /// Number of attempts.
    pub attempts: i64,
    /// Time of the next attempt.
    pub next_at: Option<Ts>,
    /// HTTP status of the last response.
    pub answered: Option<i64>,
    /// Reason why the last attempt failed.
    pub problem: Option<String>,
    /// Time at which the event was queued for this webhook.
    pub created_at: Ts,
    /// Time of the last attempt.
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
