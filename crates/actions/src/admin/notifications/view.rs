//! A notification as its reader sees it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use toolcrib_model::{Id, Ts};
use toolcrib_store::notifications::NotificationEntry;

/// A notification.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotificationView {
    /// ID.
    pub id: Id,
    /// `action`: another user made a call that admins are notified of; `confirmation_required`: a call waits for
    /// your decision; `confirmation_expired`: your call was not decided in time.
    pub kind: String,
    /// Recipients: `admins` or `user`.
    pub audience: String,
    /// Title, one line of plain text.
    pub title: String,
    /// Text of the notification, plain text.
    pub body: String,
    /// Data for programs: `action`, `description`, and by kind `target`, `who`, `user_id`, `confirmation_id`,
    /// `summary`, `expires_at`, `approve_url`.
    pub data: Map<String, Value>,
    /// `call_id` of the call in the audit log.
    pub call_id: Option<Id>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time at which you read it.
    pub read_at: Option<Ts>,
}

impl From<NotificationEntry> for NotificationView {
    fn from(row: NotificationEntry) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            audience: row.audience,
            title: row.title,
            body: row.body,
            data: serde_json::from_str(&row.data).unwrap_or_default(),
            call_id: row.call_id,
            created_at: row.created_at,
            read_at: row.read_at.map(Ts::from_micros),
        }
    }
}
