//! Playbooks whose schedule is due.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::PlaybookRow;
use crate::backend::{StoreError, WriteTx};

/// A playbook that is due, with its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct DuePlaybook {
    pub workspace_id: Id,
    #[sqlx(flatten)]
    pub playbook: PlaybookRow,
}

/// Returns at most `limit` due playbooks of all workspaces, the longest overdue first, and locks their rows
/// until the transaction ends; skips rows that another transaction has locked.
pub async fn claim(tx: &mut WriteTx, now: Ts, limit: i64) -> Result<Vec<DuePlaybook>, StoreError> {
    const SQLITE: &str = "SELECT p.* FROM playbooks p JOIN workspaces w ON w.id = p.workspace_id \
        WHERE p.status = 'active' AND p.next_run_at <= $1 AND w.deleted_at IS NULL \
        ORDER BY p.next_run_at, p.id LIMIT $2";
    const PG: &str = "SELECT p.* FROM playbooks p JOIN workspaces w ON w.id = p.workspace_id \
        WHERE p.status = 'active' AND p.next_run_at <= $1 AND w.deleted_at IS NULL \
        ORDER BY p.next_run_at, p.id LIMIT $2 FOR UPDATE OF p SKIP LOCKED";
    let now = now.as_micros();
    let sql = tx.sql(SQLITE, PG);
    Ok(with_backend!(tx, c => sqlx::query_as(sql).bind(now).bind(limit).fetch_all(c).await)?)
}

/// Stores when a playbook's schedule is next due.
pub async fn set_next_run(tx: &mut WriteTx, playbook: Id, next: Option<Ts>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE playbooks SET next_run_at = $3 WHERE workspace_id = $1 AND id = $2";
    let (workspace, next) = (tx.workspace, next.map(Ts::as_micros));
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(playbook).bind(next).execute(c).await
        .map(|_| ()))?)
}
