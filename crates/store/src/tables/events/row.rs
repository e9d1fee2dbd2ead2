//! A row of the outbox as it is inserted.

use serde_json::Value;
use toolcrib_model::{Id, Ts};

use crate::backend::{BulkRow, BulkTable, SqlValue, WriteTx};

/// A new row of the outbox, inserted in the same commit as the change that it reports.
#[derive(Clone, Debug)]
pub struct EventRow {
    pub workspace_id: Id,
    pub id: Id,
    /// The name, such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain` or `permission`.
    pub kind: &'static str,
    /// The conversation of the event.
    pub session: Option<String>,
    /// The user whom the event concerns.
    pub user_id: Option<Id>,
    /// The permission that a reader needs to see the event, such as `agents:read`.
    pub permission: Option<String>,
    pub data: Value,
    /// When the event happened.
    pub occurred_at: Ts,
}

/// The bulk insert of outbox rows. The columns are those of [`EventRow`] after its workspace, in the same
/// order.
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
            row.occurred_at.into(),
        ];
        Self { workspace: row.workspace_id, values }
    }
}

impl WriteTx {
    /// Adds a row to the outbox, which the transaction's commit inserts.
    pub fn event(&mut self, row: EventRow) {
        self.push_outbox(row.into());
    }
}
