//! One row of the outbox.

use serde_json::Value;
use toolcrib_model::{Id, Ts};

use crate::backend::{BulkRow, BulkTable, SqlValue, WriteTx};

/// An event, written in the commit of the effect that it tells of.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// Its workspace.
    pub workspace_id: Id,
    /// Its own id.
    pub id: Id,
    /// Such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain` or `permission`.
    pub kind: &'static str,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// The user it belongs to.
    pub user_id: Option<Id>,
    /// What a reader must hold to see it, such as `agents:read`.
    pub permission: Option<String>,
    /// What is told, as JSON text.
    pub data: Value,
    /// When.
    pub occurred_at: Ts,
}

/// How rows are inserted; the columns are those of [`EventRow`] behind its workspace, in its order.
pub(crate) static BULK: BulkTable = BulkTable {
    name: "events",
    columns: &["id", "name", "kind", "session", "user_id", "permission", "data", "occurred_at"],
    ids: &["id", "user_id"],
};

impl From<EventRow> for BulkRow {
    fn from(row: EventRow) -> Self {
        let values = vec![
            SqlValue::Id(Some(row.id)),
            SqlValue::Text(Some(row.name)),
            SqlValue::Word(Some(row.kind)),
            SqlValue::Text(row.session),
            SqlValue::Id(row.user_id),
            SqlValue::Text(row.permission),
            SqlValue::Text(Some(row.data.to_string())),
            SqlValue::Number(row.occurred_at.as_micros()),
        ];
        Self { workspace: row.workspace_id, values }
    }
}

impl WriteTx {
    /// Adds a row to the outbox in this transaction's commit.
    pub fn event(&mut self, row: EventRow) {
        self.push_outbox(row.into());
    }
}
