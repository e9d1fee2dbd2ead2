//! Rows of the audit log with names beside their ids.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, Names};
use toolcrib_model::Id;
use toolcrib_store::{Tx, audit::AuditEntry};

use super::steps::CallStep;

/// A row of the audit log with the names that its ids have now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditView {
    /// The row.
    #[serde(flatten)]
    pub row: AuditEntry,
    /// Name of the user, agent or key that called; null if it has none or was deleted.
    pub principal_name: Option<String>,
    /// Name of the user; null if they have none.
    pub user_name: Option<String>,
    /// Name of the service key that relayed a user's decision.
    pub relayed_by_name: Option<String>,
    /// Name of the person who changed the arguments.
    pub edited_by_name: Option<String>,
    /// What became of the call, oldest first: with `group=call` and of one row. Empty if the row is all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CallStep>,
}

impl AuditView {
    /// Returns the rows with names, in their order.
    pub async fn of_all(tx: &mut Tx, rows: Vec<AuditEntry>) -> Result<Vec<Self>, ActionError> {
        let ids: BTreeSet<Id> = rows.iter().flat_map(named_ids).collect();
        let names = Names::read(tx, &ids).await?;
        let name = |id: Option<Id>| id.and_then(|id| names.of(id));
        let view = |row: AuditEntry| Self {
            principal_name: name(Some(row.principal.id)),
            user_name: name(row.user_id),
            relayed_by_name: name(row.relayed_by),
            edited_by_name: name(row.edited_by),
            steps: Vec::new(),
            row,
        };
        Ok(rows.into_iter().map(view).collect())
    }
}

/// Returns the ids whose names are shown.
fn named_ids(row: &AuditEntry) -> impl Iterator<Item = Id> {
    [Some(row.principal.id), row.user_id, row.relayed_by, row.edited_by].into_iter().flatten()
}
