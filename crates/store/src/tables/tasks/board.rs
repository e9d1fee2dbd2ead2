//! Statistics of the task board.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::TaskRow;
use crate::backend::{StoreError, Tx};

/// The number of tasks with one status and one priority.
#[derive(Clone, Debug, FromRow)]
pub struct Count {
    pub status: String,
    pub priority: String,
    /// The number of tasks.
    pub tasks: i64,
}

/// The number of open tasks of an agent.
#[derive(Clone, Debug, FromRow)]
pub struct AgentOpenTasks {
    pub agent_id: Id,
    pub name: String,
    /// The number of assigned tasks that are not done.
    pub open: i64,
}

/// Counts the tasks by status and priority. Combinations without tasks are omitted.
pub async fn counts(tx: &mut Tx) -> Result<Vec<Count>, StoreError> {
    const SQL: &str = "SELECT status, priority, CAST(COUNT(*) AS BIGINT) AS tasks FROM tasks \
        WHERE workspace_id = $1 GROUP BY status, priority";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)?)
}

/// Counts the tasks that are past their due time and not done.
pub async fn overdue(tx: &mut Tx, now: Ts) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM tasks \
        WHERE workspace_id = $1 AND status <> 'done' AND due_at < $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(now.as_micros())
        .fetch_one(c).await)?)
}

/// Returns the agents with the most open tasks, largest number first, equal numbers by name; at most `limit`.
pub async fn busiest(tx: &mut Tx, limit: i64) -> Result<Vec<AgentOpenTasks>, StoreError> {
    // `coalesce` makes SQLite count first and then look up agents, instead of the reverse.
    const SQL: &str = "SELECT t.agent_id, a.name, t.open FROM (SELECT agent_id, CAST(COUNT(*) AS BIGINT) AS open FROM tasks \
            WHERE workspace_id = $1 AND status <> 'done' AND agent_id IS NOT NULL GROUP BY agent_id) t \
        JOIN agents a ON a.workspace_id = $1 AND a.id = coalesce(t.agent_id, t.agent_id) \
        ORDER BY t.open DESC, a.name_key LIMIT $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)?)
}

/// Returns the blocked tasks, the least recently changed first; at most `limit`.
pub async fn blocked(tx: &mut Tx, limit: i64) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.status = 'blocked' ORDER BY t.updated_at, t.id LIMIT $2";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)?)
}
