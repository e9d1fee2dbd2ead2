//! Changes of an open call's state.

use toolcrib_model::{Id, OpenCallState, Ts};

use crate::backend::{StoreError, WriteTx};

#[derive(Clone, Copy, Debug)]
pub struct CallEnd<'e> {
    /// The state that the call must have.
    pub from: OpenCallState,
    /// The state that it gets.
    pub to: OpenCallState,
    /// When it ended or was reported.
    pub at: Ts,
    /// The end as clients see it, as JSON text with sensitive values masked.
    pub result: Option<&'e str>,
    /// Digest of the report; absent if the call ended without one.
    pub report_digest: Option<&'e str>,
}

/// Claims a `ready` call at `now`: it becomes `running` until `end_by`. Returns `false` if there is no such call, it
/// is not ready, or its `claim_by` is over. Of concurrent claims, one gets `true`.
pub async fn claim(tx: &mut WriteTx, call_id: Id, now: Ts, end_by: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_calls SET state = 'running', claimed_at = $3, end_by = $4 \
        WHERE workspace_id = $1 AND call_id = $2 AND state = 'ready' AND claim_by > $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).bind(now.as_micros())
        .bind(end_by.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Ends a call, or replaces the end `unknown` after a late report, and removes the raw arguments. Returns `false` if
/// the call does not have the state `end.from`, or if `end.to` is no end that may follow it.
pub async fn finish(tx: &mut WriteTx, call_id: Id, end: &CallEnd<'_>) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE open_calls SET state = $4, ended_at = $5, result = $6, report_digest = $7, \
        arguments = NULL WHERE workspace_id = $1 AND call_id = $2 AND state = $3";
    if end.to.is_open() || !end.from.may_become(end.to) {
        return Ok(false);
    }
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(call_id).bind(end.from.as_str())
        .bind(end.to.as_str()).bind(end.at.as_micros()).bind(end.result).bind(end.report_digest)
        .execute(c).await.map(|done| done.rows_affected()))?
            == 1,
    )
}
