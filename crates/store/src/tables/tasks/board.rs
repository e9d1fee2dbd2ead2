//! The board at a glance.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::TaskRow;
use crate::backend::{StoreError, Tx};

/// How many tasks have one status and one priority.
#[derive(Clone, Debug, FromRow)]
pub struct Count {
    /// The status.
    pub status: String,
    /// The priority.
    pub priority: String,
    /// How many.
    pub tasks: i64,
}

/// How many open tasks an agent has.
#[derive(Clone, Debug, FromRow)]
pub struct AgentOpenTasks {
    /// The agent.
    pub agent_id: Id,
    /// Its name.
    pub name: String,
    /// Tasks of it that are not done.
    pub open: i64,
}

/// Counts by status and priority; what has none is left out.
pub async fn counts(tx: &mut Tx) -> Result<Vec<Count>, StoreError> {
    const SQL: &str = "SELECT status, priority, CAST(COUNT(*) AS BIGINT) AS tasks FROM tasks \
        WHERE workspace_id = $1 GROUP BY status, priority";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)?)
}

/// How many tasks are past their time and not done.
pub async fn overdue(tx: &mut Tx, now: Ts) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM tasks \
        WHERE workspace_id = $1 AND status <> 'done' AND due_at < $2";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(now.as_micros()).fetch_one(c).await)?,
    )
}

/// The agents with the most open tasks, the busiest first; equally busy ones by name.
pub async fn busiest(tx: &mut Tx, limit: i64) -> Result<Vec<AgentOpenTasks>, StoreError> {
    const SQL: &str = "SELECT a.id AS agent_id, a.name, CAST(COUNT(*) AS BIGINT) AS open FROM tasks t \
        JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.status <> 'done' GROUP BY a.id, a.name, a.name_key \
        ORDER BY open DESC, a.name_key LIMIT $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)?)
}

/// The blocked tasks, those that wait longest first.
pub async fn blocked(tx: &mut Tx, limit: i64) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.status = 'blocked' ORDER BY t.updated_at, t.id LIMIT $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)?)
}
