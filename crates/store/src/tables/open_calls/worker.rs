//! The workers' statements across workspaces: calls whose time is over, and calls that ended long ago.

use sqlx::FromRow;
use toolcrib_model::{Id, OpenCallState, Ts};

use crate::backend::{Db, StoreError, WriteTx};

/// The most rows that one deletion removes.
const BATCH: i64 = 2_000;

/// A call whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct DueCall {
    pub workspace_id: Id,
    pub call_id: Id,
    /// `ready` if it was not claimed in time, `running` if its end was not reported in time.
    #[sqlx(try_from = "String")]
    pub state: OpenCallState,
}

/// Returns at most `limit` calls of all workspaces that are `ready` although their `claim_by` is over at `now`, or
/// `running` although their `end_by` is over; those whose time was over first come first. The worker ends each in
/// its workspace.
pub async fn due(db: &Db, now: Ts, limit: i64) -> Result<Vec<DueCall>, StoreError> {
    const SQL: &str = "SELECT workspace_id, call_id, state FROM ( \
        SELECT workspace_id, call_id, state, claim_by AS due_at FROM open_calls WHERE state = 'ready' AND claim_by <= $1 \
        UNION ALL \
        SELECT workspace_id, call_id, state, end_by AS due_at FROM open_calls WHERE state = 'running' AND end_by <= $1 \
        ) AS overdue ORDER BY due_at, call_id LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(now.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok(found)
}

/// Deletes a batch of the calls of all workspaces that ended before `before`, and returns their number. For a
/// worker's transaction.
pub async fn delete_ended_before(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM open_calls WHERE (workspace_id, call_id) IN (SELECT workspace_id, call_id \
        FROM open_calls WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)";
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(before.as_micros()).bind(BATCH).execute(c).await
        .map(|done| done.rows_affected()))?)
}
