//! Tasks on the board.

mod board;
mod history;

pub use board::{AgentOpenTasks, Count, blocked, busiest, counts, overdue};
pub use history::{TaskHistoryRow, add_entry, entries};

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A task as it is stored, with its agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct TaskRow {
    /// Its id.
    pub id: Id,
    /// What it is called.
    pub title: String,
    /// What is to be done.
    pub description: String,
    /// `urgent`, `high`, `medium` or `low`.
    pub priority: String,
    /// `inbox`, `assigned`, `in_progress`, `review`, `blocked` or `done`.
    pub status: String,
    /// Who has it.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` too where the agent is gone.
    pub agent_name: Option<String>,
    /// The task it is a part of.
    pub parent_id: Option<Id>,
    /// A JSON list of words.
    pub tags: String,
    /// When it should be done, in microseconds.
    pub due_at: Option<i64>,
    /// Counts its changes.
    pub version: i64,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// When it was last done, in microseconds; `None` while it is not.
    pub done_at: Option<i64>,
}

/// Which tasks are listed.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// A status.
    pub status: Option<String>,
    /// A priority.
    pub priority: Option<String>,
    /// Whose.
    pub agent_id: Option<Id>,
}

/// Tasks, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(
    tx: &mut Tx,
    filter: &TaskFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id WHERE t.workspace_id = $1 \
        AND ($2 IS NULL OR t.status = $2) AND ($3 IS NULL OR t.priority = $3) AND ($4 IS NULL OR t.agent_id = $4) \
        AND (t.created_at, t.id) < ($5, $6) ORDER BY t.created_at DESC, t.id DESC LIMIT $7";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&filter.status).bind(&filter.priority)
        .bind(filter.agent_id).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)?)
}

/// The parts of a task, oldest first; at most `limit` rows.
pub async fn subtasks(tx: &mut Tx, parent: Id, limit: i64) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.parent_id = $2 ORDER BY t.created_at, t.id LIMIT $3";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(parent).bind(limit).fetch_all(c).await)?,
    )
}

/// One task by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Adds a task.
pub async fn insert(tx: &mut WriteTx, row: &TaskRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO tasks (workspace_id, id, title, description, priority, status, agent_id, parent_id, \
        tags, due_at, version, created_by, created_at, updated_at, done_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.title).bind(&row.description)
        .bind(&row.priority).bind(&row.status).bind(row.agent_id).bind(row.parent_id).bind(&row.tags).bind(row.due_at)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .bind(row.done_at).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores the status and agent of a task that nobody else changed since it was read, and counts its version up;
/// `false` where somebody did.
pub async fn move_to(tx: &mut WriteTx, row: &TaskRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE tasks SET status = $4, agent_id = $5, done_at = $6, updated_at = $7, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let workspace = tx.workspace;
    let moved = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version).bind(&row.status)
        .bind(row.agent_id).bind(row.done_at).bind(row.updated_at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(moved == 1)
}
