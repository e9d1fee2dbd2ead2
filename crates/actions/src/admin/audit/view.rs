//! Rows of the audit log with names beside their ids.

use std::collections::BTreeSet;

use toolcrib_engine::{Names, prelude::*};
use toolcrib_store::{Tx, audit::AuditEntry};

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
    /// What became of the call, oldest first: with `group=call` and of one row. Absent if the row is all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CallStep>,
}

/// A row of a call, in short.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CallStep {
    /// ID of the row.
    pub id: Id,
    /// When it happened.
    pub at: Ts,
    /// What happened.
    pub step: Step,
    /// User, agent or key that did it; null where a time ended.
    pub by: Option<Id>,
    /// Name of the user, agent or key.
    pub by_name: Option<String>,
    /// `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`.
    pub outcome: String,
    /// The code of the error that was answered.
    pub error_code: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i64,
}

/// What a row of a call stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Step {
    /// The call was made, and waits for a person.
    Asked,
    /// The first step of a typed approval.
    #[serde(rename = "first_step")]
    PhraseAsked,
    /// The second step had another phrase.
    WrongPhrase,
    /// Approved as asked.
    Approved,
    /// Approved with other arguments.
    ApprovedChanged,
    /// Denied.
    Denied,
    /// Changed: another confirmation, of the changed call, is in its place.
    Changed,
    /// A later call of the same caller is in its place.
    Superseded,
    /// What was asked no longer applies.
    Void,
    /// Nobody decided in time.
    Expired,
    /// Somebody tried to decide who may not, or something that can't be.
    Refused,
    /// A call that runs elsewhere began.
    Started,
    /// The call ran.
    Ran,
    /// A call that runs elsewhere ended.
    Ended,
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
