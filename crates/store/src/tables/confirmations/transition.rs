//! Changes of a confirmation's status.

use toolcrib_model::{ConfirmationStatus, Id, Ts};

use super::{ConfirmationRow, RequestedCall};
use crate::backend::{Select, StoreError, WriteTx};

/// A step of the state machine.
#[derive(Clone, Debug)]
pub struct Transition<'s> {
    /// The status it must have.
    pub from: ConfirmationStatus,
    /// The status it gets.
    pub to: ConfirmationStatus,
    /// When; its time must not be over then, and must be where it expires. Not compared for a call that runs.
    pub now: Ts,
    /// The user who decided. Ignored for the end of a call that runs: the approval keeps its time, user and reason.
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
    pub history: &'s str,
}

/// Changes a confirmation's status by compare-and-set, and returns it. Returns `None` if the current status is not `from`,
/// if `to` may not follow it, or if the expiry does not fit (see [`Transition::now`]).
pub async fn transition(
    tx: &mut WriteTx,
    id: Id,
    transition: &Transition<'_>,
) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "UPDATE confirmations SET status = $4, \
        decided_at = CASE WHEN status = 'running' THEN decided_at ELSE $5 END, \
        decided_by = CASE WHEN status = 'running' THEN decided_by ELSE $6 END, \
        reason = CASE WHEN status = 'running' THEN reason ELSE $7 END, \
        phrase_attempts = $8, call_id = $9, result = $10, history = $11 WHERE workspace_id = $1 AND id = $2 \
        AND status = $3 AND CASE WHEN status = 'running' THEN TRUE WHEN $4 = 'expired' THEN expires_at <= $5 \
        ELSE expires_at > $5 END RETURNING *";
    if !transition.from.may_become(transition.to) {
        return Ok(None);
    }
    let Transition { from, to, now, by, reason, phrase_attempts, call_id, ref result, history, .. } =
        *transition;
    let values =
        values![id, from.as_str(), to.as_str(), now, by, reason, phrase_attempts, call_id, result, history];
    let done = tx.change(Select::optional(SQL, values)).await?;
    match transition.edited {
        Some(call) if done.is_some() => edit(tx, id, call).await,
        _ => Ok(done),
    }
}

async fn edit(tx: &mut WriteTx, id: Id, call: &RequestedCall) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "UPDATE confirmations SET schema_digest = $3, arguments = $4, arguments_digest = $5, \
        target_id = $6, target_label = $7, target_detail = $8, target_version = $9, summary = $10, more = $11, \
        requester = $12, upstream_target = $13, repaired = $14 WHERE workspace_id = $1 AND id = $2 RETURNING *";
    let values = values![
        id,
        &call.schema_digest,
        &call.arguments,
        &call.arguments_digest,
        call.target_id,
        &call.target_label,
        &call.target_detail,
        call.target_version,
        &call.summary,
        call.more,
        &call.requester,
        &call.upstream_target,
        &call.repaired,
    ];
    tx.change(Select::optional(SQL, values)).await
}
