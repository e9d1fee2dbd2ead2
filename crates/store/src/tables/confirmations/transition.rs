//! Changes of a confirmation's status.

use toolcrib_model::{ConfirmationStatus, Id, Ts};

use super::{ConfirmationRow, RequestedCall};
use crate::backend::{StoreError, WriteTx};

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
    let workspace = tx.workspace;
    let done = with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).bind(transition.from.as_str()).bind(transition.to.as_str())
        .bind(transition.now.as_micros()).bind(transition.by).bind(transition.reason).bind(transition.phrase_attempts).bind(transition.call_id)
        .bind(&transition.result).bind(transition.history).fetch_optional(c).await)?;
    match transition.edited {
        Some(call) if done.is_some() => edit(tx, id, call).await,
        _ => Ok(done),
    }
}

async fn edit(tx: &mut WriteTx, id: Id, call: &RequestedCall) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = "UPDATE confirmations SET schema_digest = $3, arguments = $4, arguments_digest = $5, \
        target_id = $6, target_label = $7, target_detail = $8, target_version = $9, summary = $10, more = $11, \
        requester = $12, upstream_target = $13, repaired = $14 WHERE workspace_id = $1 AND id = $2 RETURNING *";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).bind(&call.schema_digest).bind(&call.arguments)
        .bind(&call.arguments_digest).bind(call.target_id).bind(&call.target_label)
        .bind(&call.target_detail).bind(call.target_version).bind(&call.summary).bind(call.more)
        .bind(&call.requester).bind(&call.upstream_target).bind(&call.repaired).fetch_optional(c).await)?,
    )
}
