//! The tasks of a workspace's board.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, OptionalTime, StoreError, Tx, WriteTx, json};

/// A task.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct TaskRow {
    /// ID.
    pub id: Id,
    /// Title.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub title: String,
    /// Instructions in plain text.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub description: String,
    /// `urgent`, `high`, `medium` or `low`.
    #[schemars(extend("x-ours" = true))]
    pub priority: String,
    /// `inbox`, `assigned`, `in_progress`, `review`, `blocked` or `done`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// ID of the assigned agent.
    pub agent_id: Option<Id>,
    /// Name of the agent; null if there is none or it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// ID of the parent task.
    #[serde(rename = "parent_task_id")]
    pub parent_id: Option<Id>,
    /// Tags.
    #[schemars(extend("x-untrusted" = "tasks"))]
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// Due time.
    #[sqlx(try_from = "OptionalTime")]
    pub due_at: Option<Ts>,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// Time of completion; null if the task is not done.
    #[sqlx(try_from = "OptionalTime")]
    pub done_at: Option<Ts>,
    /// The version of the row; each update increments it.
    #[serde(skip)]
    pub version: i64,
    /// The user who created the task.
    #[serde(skip)]
    pub created_by: Option<Id>,
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    pub status: Option<String>,
    pub priority: Option<String>,
    pub agent_id: Option<Id>,
}

/// Selects tasks of the workspace with the names of their agents.
macro_rules! select_tasks {
    ($condition:literal) => {
        concat!(select!(tasks "t." ", a.name AS agent_name FROM tasks t \
            LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
            WHERE t.workspace_id = $1 AND "), $condition)
    };
}

/// Lists at most `limit` tasks after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: &TaskFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<TaskRow>, StoreError> {
    let sql = filtered!(
        select_tasks!(""),
        [filter.status => "t.status = $2" or "$2 IS NULL", filter.agent_id => "t.agent_id = $4" or "$4 IS NULL",
            filter.priority => "t.priority = $3" or "$3 IS NULL"],
        " AND (t.created_at, t.id) < ($5, $6) ORDER BY t.created_at DESC, t.id DESC LIMIT $7"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(&filter.status)
        .bind(&filter.priority).bind(filter.agent_id).bind(cursor.at.as_micros()).bind(cursor.id)
        .bind(limit).fetch_all(c).await)
}

/// Returns the subtasks of a task, oldest first; at most `limit`.
pub async fn subtasks(tx: &mut Tx, parent: Id, limit: i64) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = select_tasks!("t.parent_id = $2 ORDER BY t.created_at, t.id LIMIT $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(parent).bind(limit)
        .fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<TaskRow>, StoreError> {
    tx.find(select_tasks!("t.id = $2"), id).await
}

/// Returns the task with this id. Other transactions that change or lock it wait until this one ends; SQLite has one
/// writer anyway.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<TaskRow>, StoreError> {
    let sql = locked!(tx, select_tasks!("t.id = $2") => " FOR NO KEY UPDATE OF t");
    tx.find(sql, id).await
}

pub async fn insert(tx: &mut WriteTx, row: &TaskRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO tasks (workspace_id, id, title, description, priority, status, agent_id, parent_id, \
        tags, due_at, version, created_by, created_at, updated_at, done_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.title)
        .bind(&row.description).bind(&row.priority).bind(&row.status).bind(row.agent_id).bind(row.parent_id)
        .bind(json(&row.tags)?).bind(row.due_at.map(Ts::as_micros)).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.updated_at.as_micros()).bind(row.done_at.map(Ts::as_micros))
        .execute(c).await.map(|_| ()))
}

/// Updates a task's status and agent and increments its version if the stored version is still `row.version`;
/// returns `false` otherwise.
pub async fn update(tx: &mut WriteTx, row: &TaskRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE tasks SET status = $4, agent_id = $5, done_at = $6, updated_at = $7, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version)
        .bind(&row.status).bind(row.agent_id).bind(row.done_at.map(Ts::as_micros)).bind(row.updated_at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// One step of a task.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct TaskHistoryRow {
    /// `created`, `assigned` or `moved`.
    #[schemars(extend("x-ours" = true))]
    pub event: String,
    /// The status before; null at creation.
    #[schemars(extend("x-ours" = true))]
    pub from_status: Option<String>,
    /// The status after.
    #[schemars(extend("x-ours" = true))]
    pub to_status: String,
    /// ID of the agent assigned after the step.
    pub agent_id: Option<Id>,
    /// Note of the caller.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub note: Option<String>,
    /// `user`, `agent` or `service`.
    #[schemars(extend("x-ours" = true))]
    pub actor_kind: String,
    /// ID of the actor.
    pub actor_id: Id,
    /// Time of the step.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// The entry's id.
    #[serde(skip)]
    pub id: Id,
    #[serde(skip)]
    pub task_id: Id,
}

/// Returns the history of a task, newest entry first; at most `limit` entries.
pub async fn entries(tx: &mut Tx, task: Id, limit: i64) -> Result<Vec<TaskHistoryRow>, StoreError> {
    const SQL: &str = select!(task_history " FROM task_history WHERE workspace_id = $1 AND task_id = $2 \
        ORDER BY occurred_at DESC, id DESC LIMIT $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(task).bind(limit)
        .fetch_all(c).await)
}

pub async fn add_entry(tx: &mut WriteTx, row: &TaskHistoryRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO task_history (workspace_id, id, task_id, event, from_status, to_status, agent_id, \
        note, actor_kind, actor_id, occurred_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.task_id)
        .bind(&row.event).bind(&row.from_status).bind(&row.to_status).bind(row.agent_id).bind(&row.note)
        .bind(&row.actor_kind).bind(row.actor_id).bind(row.occurred_at.as_micros()).execute(c).await
        .map(|_| ()))
}

/// The number of tasks with one status and one priority.
#[derive(Clone, Debug, FromRow)]
pub struct Count {
    pub status: String,
    pub priority: String,
    pub tasks: i64,
}

/// An agent with open tasks.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct AgentOpenTasks {
    /// The agent.
    pub agent_id: Id,
    /// Name.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Number of the agent's tasks that are not done.
    pub open: i64,
}

/// Counts the tasks by status and priority. Combinations without tasks are omitted.
pub async fn counts(tx: &mut Tx) -> Result<Vec<Count>, StoreError> {
    const SQL: &str = "SELECT status, priority, CAST(COUNT(*) AS BIGINT) AS tasks FROM tasks \
        WHERE workspace_id = $1 GROUP BY status, priority";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Counts the tasks that are past their due time and not done.
pub async fn overdue(tx: &mut Tx, now: Ts) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM tasks \
        WHERE workspace_id = $1 AND status <> 'done' AND due_at < $2";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(now.as_micros())
        .fetch_one(c).await)
}

/// Returns the agents with the most open tasks, largest number first, equal numbers by name; at most `limit`.
pub async fn busiest(tx: &mut Tx, limit: i64) -> Result<Vec<AgentOpenTasks>, StoreError> {
    // `coalesce` makes SQLite count first and then look up agents, instead of the reverse.
    const SQL: &str = "SELECT t.agent_id, a.name, t.open FROM (SELECT agent_id, CAST(COUNT(*) AS BIGINT) AS open FROM tasks \
            WHERE workspace_id = $1 AND status <> 'done' AND agent_id IS NOT NULL GROUP BY agent_id) t \
        JOIN agents a ON a.workspace_id = $1 AND a.id = coalesce(t.agent_id, t.agent_id) \
        ORDER BY t.open DESC, a.name_key LIMIT $2";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)
}

/// Returns the blocked tasks, the least recently changed first; at most `limit`.
pub async fn blocked(tx: &mut Tx, limit: i64) -> Result<Vec<TaskRow>, StoreError> {
    const SQL: &str = select_tasks!("t.status = 'blocked' ORDER BY t.updated_at, t.id LIMIT $2");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(limit).fetch_all(c).await)
}
