//! One row of the outbox.

use serde::Serialize;
use serde_json::Value;
use toolcrib_model::{Id, Ts};

use crate::audit_row::{hex_id, hex_id_option, micros};

/// An event, written in the commit of the effect that it tells of.
#[derive(Clone, Debug, Serialize)]
pub struct EventRow {
    /// Its workspace.
    #[serde(serialize_with = "hex_id")]
    pub workspace_id: Id,
    /// Its own id.
    #[serde(serialize_with = "hex_id")]
    pub id: Id,
    /// Such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain` or `permission`.
    pub kind: &'static str,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// The user it belongs to.
    #[serde(serialize_with = "hex_id_option")]
    pub user_id: Option<Id>,
    /// What a reader must hold to see it, such as `agents:read`.
    pub permission: Option<String>,
    /// What is told, as JSON text.
    #[serde(serialize_with = "text")]
    pub data: Value,
    /// When.
    #[serde(serialize_with = "micros")]
    pub occurred_at: Ts,
}

fn text<S: serde::Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
