//! The history of a task: its creation, assignments and changes of status.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

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
    #[schemars(extend("x-ours" = true))]
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
    const SQL: &str = "SELECT * FROM task_history WHERE workspace_id = $1 AND task_id = $2 \
        ORDER BY occurred_at DESC, id DESC LIMIT $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(task).bind(limit)
        .fetch_all(c).await)?)
}

/// Inserts an entry.
pub async fn add_entry(tx: &mut WriteTx, row: &TaskHistoryRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO task_history (workspace_id, id, task_id, event, from_status, to_status, agent_id, \
        note, actor_kind, actor_id, occurred_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.task_id)
        .bind(&row.event).bind(&row.from_status).bind(&row.to_status).bind(row.agent_id).bind(&row.note)
        .bind(&row.actor_kind).bind(row.actor_id).bind(row.occurred_at.as_micros()).execute(c).await
        .map(|_| ()))?)
}
