//! The tasks of a workspace's board.

mod board;
mod history;

pub use board::{AgentOpenTasks, Count, blocked, busiest, counts, overdue};
pub use history::{TaskHistoryRow, add_entry, entries};

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{Select, StoreError, Tx, WriteTx};

/// A row of `tasks` with the agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct TaskRow {
    pub id: Id,
    pub title: String,
    /// The instructions.
    pub description: String,
    /// `urgent`, `high`, `medium` or `low`.
    pub priority: String,
    /// `inbox`, `assigned`, `in_progress`, `review`, `blocked` or `done`.
    pub status: String,
    /// The agent to which the task is assigned.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` if the agent no longer exists.
    pub agent_name: Option<String>,
    /// The parent task.
    pub parent_id: Option<Id>,
    /// A JSON list of strings.
    pub tags: String,
    /// The due time, in microseconds.
    pub due_at: Option<i64>,
    /// The version of the row; each update increments it.
    pub version: i64,
    /// The user who created the task.
    pub created_by: Option<Id>,
    /// When the task was created.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When the task was last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// When the task was last completed, in microseconds; `None` while its status is not `done`.
    pub done_at: Option<i64>,
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    pub status: Option<String>,
    pub priority: Option<String>,
    /// The agent to which the task is assigned.
    pub agent_id: Option<Id>,
}

/// Lists at most `limit` tasks after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: &TaskFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<TaskRow>, StoreError> {
    let sql = filtered!(
        "SELECT t.*, a.name AS agent_name FROM tasks t \
         LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id WHERE t.workspace_id = $1 \
         AND ",
        [filter.status => "t.status = $2" or "$2 IS NULL", filter.agent_id => "t.agent_id = $4" or "$4 IS NULL",
            filter.priority => "t.priority = $3" or "$3 IS NULL"],
        " AND (t.created_at, t.id) < ($5, $6) ORDER BY t.created_at DESC, t.id DESC LIMIT $7"
    );
    tx.fetch(Select::all(
        sql,
        values![&filter.status, &filter.priority, filter.agent_id, cursor.at, cursor.id, limit],
    ))
    .await
}

/// Returns the subtasks of a task, oldest first; at most `limit`.
pub fn subtasks(parent: Id, limit: i64) -> Select<Vec<TaskRow>> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.parent_id = $2 ORDER BY t.created_at, t.id LIMIT $3";
    Select::all(SQL, values![parent, limit])
}

/// Returns the task with this id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<TaskRow>, StoreError> {
    const SQL: &str = "SELECT t.*, a.name AS agent_name FROM tasks t \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND t.id = $2";
    tx.fetch_cached(id, Select::optional(SQL, values![id])).await
}

/// Inserts a task.
pub async fn insert(tx: &mut WriteTx, row: &TaskRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO tasks (workspace_id, id, title, description, priority, status, agent_id, parent_id, \
        tags, due_at, version, created_by, created_at, updated_at, done_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    let workspace = tx.workspace;
    execute!(tx, SQL; workspace, row.id, &row.title, &row.description, &row.priority, &row.status,
        row.agent_id, row.parent_id, &row.tags, row.due_at, row.version, row.created_by,
        row.created_at, row.updated_at, row.done_at);
    Ok(())
}

/// Updates a task's status and agent and increments its version if the stored version is still `row.version`;
/// returns `false` otherwise.
pub async fn update_if_unchanged(tx: &mut WriteTx, row: &TaskRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE tasks SET status = $4, agent_id = $5, done_at = $6, updated_at = $7, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let workspace = tx.workspace;
    Ok(execute_one!(tx, SQL; workspace, row.id, row.version, &row.status, row.agent_id, row.done_at,
        row.updated_at))
}
