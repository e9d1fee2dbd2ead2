//! A row of the outbox as it is inserted.

use serde_json::Value;
use toolcrib_model::{Id, Ts};

use crate::backend::{WriteTx, bulk_table};

/// A new row of the outbox, inserted in the same commit as the change that it reports.
#[derive(Clone, Debug)]
pub struct EventRow {
    pub workspace_id: Id,
    pub id: Id,
    /// The name, such as `agent.created` or `awaiting_permission`.
    pub name: String,
    /// `domain`, `permission` or `notification`.
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

bulk_table!("events", row: EventRow, {
    id: Id(Some(row.id)),
    name: Text(Some(row.name)),
    kind: Word(Some(row.kind)),
    session: Text(row.session),
    user_id: Id(row.user_id),
    permission: Text(row.permission),
    data: Text(Some(row.data.to_string())),
    occurred_at: Number(Some(row.occurred_at.as_micros())),
});

impl WriteTx {
    /// Adds a row to the outbox, which the transaction's commit inserts.
    pub fn event(&mut self, row: EventRow) {
        self.push_outbox(row.into());
    }
}
