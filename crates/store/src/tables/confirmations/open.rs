//! The open confirmations: those that wait for a decision.

use toolcrib_model::{Id, Surface, Ts};

use super::{ConfirmationRow, Requester};
use crate::backend::{Db, StoreError, Tx, WriteTx};

/// Returns the requester's open confirmation of the same action with the same arguments. That of another conversation
/// is only for a run of the assistant, which shows what it waits for wherever that was asked; other clients show those
/// of their conversation.
pub async fn same_call(
    tx: &mut Tx,
    by: Requester,
    session: Option<&str>,
    surface: Surface,
    action: &str,
    digest: &str,
    now: Ts,
) -> Result<Option<ConfirmationRow>, StoreError> {
    const SQL: &str = select!(confirmations
        " FROM confirmations WHERE workspace_id = $1 AND requester_id = $2 AND action = $3 \
        AND arguments_digest = $4 AND status IN ('pending', 'awaiting_phrase') AND expires_at > $5 \
        AND requester_user_id IS NOT DISTINCT FROM $6 AND (session IS NOT DISTINCT FROM $7 OR $8) \
        ORDER BY created_at, id LIMIT 1");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(by.id).bind(action)
        .bind(digest).bind(now.as_micros()).bind(by.user_id).bind(session)
        .bind(surface == Surface::Assistant).fetch_optional(c).await)
}

/// Returns the workspace's open confirmations, oldest first.
pub async fn all_open(tx: &mut Tx, now: Ts) -> Result<Vec<ConfirmationRow>, StoreError> {
    const SQL: &str = select!(confirmations
        " FROM confirmations WHERE workspace_id = $1 AND status IN ('pending', 'awaiting_phrase') \
        AND expires_at > $2 ORDER BY created_at, id");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(now.as_micros())
        .fetch_all(c).await)
}

/// Returns the requester's open confirmations of the same action on the same target in the same conversation, and locks
/// their rows until the transaction ends. What a run of the assistant asked for and what its person asked for themselves
/// are apart; runs replace what runs asked for in every conversation.
pub async fn same_target(
    tx: &mut WriteTx,
    by: Requester,
    session: Option<&str>,
    surface: Surface,
    action: &str,
    target_id: Id,
    now: Ts,
) -> Result<Vec<ConfirmationRow>, StoreError> {
    let sql = locked!(tx, select!(confirmations " FROM confirmations WHERE workspace_id = $1 \
        AND requester_id = $2 AND action = $3 AND target_id = $4 \
        AND status IN ('pending', 'awaiting_phrase') AND expires_at > $5 \
        AND requester_user_id IS NOT DISTINCT FROM $6 AND (surface = 'assistant') = $7 \
        AND (session IS NOT DISTINCT FROM $8 OR $7) ORDER BY created_at, id") => " FOR UPDATE");
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(by.id).bind(action)
        .bind(target_id).bind(now.as_micros()).bind(by.user_id)
        .bind(surface == Surface::Assistant).bind(session).fetch_all(c).await)
}

/// Serializes the transactions that create confirmations in one workspace, so that their counts and look-ups
/// stay valid until the commit.
pub async fn lock_inserts(tx: &mut WriteTx) -> Result<(), StoreError> {
    // An advisory lock and not a row's lock: a decision locks a confirmation and then changes other rows, so that row
    // locks could deadlock.
    tx.lock("confirmations").await
}

/// Returns workspace and id of at most `limit` open confirmations of all workspaces that have expired at
/// `now`, for the worker that ends each in its workspace.
pub async fn overdue(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT workspace_id, id FROM confirmations WHERE status IN ('pending', 'awaiting_phrase') \
        AND expires_at <= $1 ORDER BY expires_at LIMIT $2";
    db.due(SQL, now, limit).await
}

/// Counts the open confirmations: the requester's, and all of the workspace. Those of runs of the assistant count apart
/// from those of their person's other calls, so that what waits in the background leaves the person their own.
pub async fn count_open(
    tx: &mut Tx,
    by: Requester,
    surface: Surface,
    now: Ts,
) -> Result<(i64, i64), StoreError> {
    const SQL: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN requester_id = $2 \
        AND requester_user_id IS NOT DISTINCT FROM $4 AND (surface = 'assistant') = $5 THEN 1 ELSE 0 END), 0) AS BIGINT), \
        CAST(COUNT(*) AS BIGINT) FROM confirmations WHERE workspace_id = $1 \
        AND status IN ('pending', 'awaiting_phrase') AND expires_at > $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(by.id)
        .bind(now.as_micros()).bind(by.user_id).bind(surface == Surface::Assistant).fetch_one(c).await)
}
