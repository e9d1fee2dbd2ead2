//! Changes of a confirmation's status.

use toolcrib_model::{ConfirmationStatus, Id, Ts};

use super::{ConfirmationRow, RequestedCall};
use crate::backend::{StoreError, WriteTx};

/// A step of the state machine.
#[derive(Clone, Debug)]
pub struct Transition<'s> {
    pub to: ConfirmationStatus,
    /// Time of the transition. A decision must come before `expires_at`, an expiry after it; a running call may end at
    /// any time.
    pub now: Ts,
    /// The user who decided. Ignored for a step to `awaiting_phrase`, which decides nothing, and for the end of a call
    /// that runs: the approval keeps its time, user and reason.
    pub by: Option<Id>,
    /// The reason that the user gave.
    pub reason: Option<&'s str>,
    /// The number of wrong phrases so far.
    pub phrase_attempts: i64,
    /// The audit row of the executed call.
    pub call_id: Option<Id>,
    /// The response of the executed call, as JSON.
    pub result: Option<String>,
    /// The new values, if the user edited the arguments.
    pub edited: Option<&'s RequestedCall>,
    /// All transitions including this one, as a JSON list.
    pub history: String,
    /// The confirmation that takes the place of a superseded one.
    pub superseded_by: Option<Id>,
}

impl Transition<'_> {
    /// Whether the status may follow that of the row at this time (see [`Transition::now`]).
    fn may_follow(&self, row: &ConfirmationRow) -> bool {
        let in_time = match (row.status, self.to) {
            (ConfirmationStatus::Running, _) => true,
            (_, ConfirmationStatus::Expired) => row.expires_at <= self.now,
            _ => row.expires_at > self.now,
        };
        row.status.may_become(self.to) && in_time
    }

    fn applied(&self, row: &ConfirmationRow) -> ConfirmationRow {
        let mut changed = ConfirmationRow {
            status: self.to,
            phrase_attempts: self.phrase_attempts,
            call_id: self.call_id,
            result: self.result.clone(),
            history: self.history.clone(),
            superseded_by: self.superseded_by,
            ..row.clone()
        };
        if row.status != ConfirmationStatus::Running && self.to != ConfirmationStatus::AwaitingPhrase {
            changed.decided_at = Some(self.now.as_micros());
            changed.decided_by = self.by;
            changed.reason = self.reason.map(str::to_owned);
        }
        if let Some(call) = self.edited {
            changed.call = call.clone();
        }
        changed
    }
}

/// Changes a confirmation's status by compare-and-set with the row that was read, and returns the row after it. Returns
/// `None` if the status is another one by now, if the new status may not follow it, or if the expiry does not fit (see
/// [`Transition::now`]).
pub async fn transition(
    tx: &mut WriteTx,
    row: &ConfirmationRow,
    transition: &Transition<'_>,
) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "UPDATE confirmations SET status = $4, decided_at = $5, decided_by = $6, reason = $7, \
        phrase_attempts = $8, call_id = $9, result = $10, history = $11, superseded_by = $12 \
        WHERE workspace_id = $1 AND id = $2 AND status = $3";
    if !transition.may_follow(row) {
        return Ok(None);
    }
    let changed = transition.applied(row);
    let updated = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.status.as_str()).bind(changed.status.as_str()).bind(changed.decided_at)
        .bind(changed.decided_by).bind(&changed.reason).bind(changed.phrase_attempts).bind(changed.call_id)
        .bind(&changed.result).bind(&changed.history).bind(changed.superseded_by).execute(c).await.map(|done| done.rows_affected()))?;
    let is_first = updated == 1;
    if is_first && transition.edited.is_some() {
        edit(tx, &changed).await?;
    }
    Ok(is_first.then_some(changed))
}

/// Sets the time at which the open confirmations of an action and a request expire. Returns their number.
pub async fn renew(
    tx: &mut WriteTx,
    action: &str,
    request_id: &str,
    now: Ts,
    expires_at: Ts,
) -> Result<u64, StoreError> {
    const SQL: &str = "UPDATE confirmations SET expires_at = $5 WHERE workspace_id = $1 AND action = $2 \
        AND request_id = $3 AND expires_at > $4 AND status IN ('pending', 'awaiting_phrase')";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(action).bind(request_id)
        .bind(now.as_micros()).bind(expires_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))
}

async fn edit(tx: &mut WriteTx, row: &ConfirmationRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE confirmations SET schema_digest = $3, arguments = $4, arguments_digest = $5, \
        target_id = $6, target_label = $7, target_detail = $8, target_version = $9, summary = $10, more = $11, \
        requester = $12, upstream_target = $13, repaired = $14 WHERE workspace_id = $1 AND id = $2";
    let (workspace, call) = (tx.workspace, &row.call);
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&call.schema_digest)
        .bind(&call.arguments).bind(&call.arguments_digest).bind(call.target_id).bind(&call.target_label)
        .bind(&call.target_detail).bind(call.target_version).bind(&call.summary).bind(call.more)
        .bind(&call.requester).bind(&call.upstream_target).bind(&call.repaired).execute(c).await.map(|_| ()))
}
