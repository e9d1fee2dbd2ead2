//! Executions: requested runs of playbooks, and their outcome.

mod steps;

pub use steps::{ExecutionStepRow, put_step, step, steps};

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Select, StoreError, Tx, WriteTx};

/// A row of `executions`.
#[derive(Clone, Debug, FromRow)]
pub struct ExecutionRow {
    pub id: Id,
    /// The playbook; `None` if a runtime executed something else.
    pub playbook_id: Option<Id>,
    /// The playbook's name at the time of the request.
    pub playbook_name: Option<String>,
    /// The agent that executed it, if one did.
    pub agent_id: Option<Id>,
    /// `queued`, `running`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// The input, as a JSON object.
    pub input: Option<String>,
    pub output: Option<String>,
    /// The reason of a failure.
    pub error: Option<String>,
    /// `user`, `agent`, `service` or `schedule`; `None` if a runtime reported the execution without a request.
    pub requested_by_kind: Option<String>,
    /// The id of the principal that requested it.
    pub requested_by: Option<Id>,
    /// When it was requested.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it began, in microseconds.
    pub started_at: Option<i64>,
    /// When it ended, in microseconds.
    pub finished_at: Option<i64>,
}

/// Returns the execution with this id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ExecutionRow>, StoreError> {
    const SQL: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND id = $2";
    tx.fetch(Select::optional(SQL, values![id])).await
}

/// Returns the execution with this id and locks its row until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<ExecutionRow>, StoreError> {
    const SQL: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND id = $2";
    const LOCK: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE";
    // SQLite has one writer, so that no lock is needed.
    tx.change(Select::optional(SQL, values![id]).on_pg(LOCK)).await
}

/// Returns the last executions of a playbook, newest first; at most `limit`.
pub fn recent(playbook: Id, limit: i64) -> Select<Vec<ExecutionRow>> {
    const SQL: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND playbook_id = $2 \
        ORDER BY created_at DESC, id DESC LIMIT $3";
    Select::all(SQL, values![playbook, limit])
}

/// Counts the workspace's executions that are queued or running. Other transactions wait here until this one
/// ends, so that the caller can enforce a limit on the count.
pub async fn count_open(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM executions \
        WHERE workspace_id = $1 AND status IN ('queued', 'running')";
    tx.lock("executions").await?;
    tx.fetch(Select::scalar(SQL, [])).await
}

/// Inserts an execution and copies the playbook's current steps to it with status `pending`. Changes nothing
/// and returns `false` if an execution with this id exists, for which the caller has looked before.
pub async fn insert(tx: &mut WriteTx, row: &ExecutionRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO executions (workspace_id, id, playbook_id, playbook_name, agent_id, status, input, \
        output, error, requested_by_kind, requested_by, created_at, started_at, finished_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
        ON CONFLICT (workspace_id, id) DO NOTHING";
    const STEPS: &str = "INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, \
        output_key, status) SELECT workspace_id, $2, position, prompt, agent_id, on_error, output_key, 'pending' \
        FROM playbook_steps WHERE workspace_id = $1 AND playbook_id = $3";
    let workspace = tx.workspace;
    let is_new = execute_one!(tx, SQL; workspace, row.id, row.playbook_id, &row.playbook_name, row.agent_id,
        &row.status, &row.input, &row.output, &row.error, &row.requested_by_kind, row.requested_by,
        row.created_at, row.started_at, row.finished_at);
    if !is_new {
        return Ok(false);
    }
    if let Some(playbook) = row.playbook_id {
        execute!(tx, STEPS; workspace, row.id, playbook);
    }
    Ok(true)
}

/// Updates the state of an execution. Returns `false` if the execution does not exist.
pub async fn update(tx: &mut WriteTx, row: &ExecutionRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE executions SET status = $3, agent_id = $4, output = $5, error = $6, started_at = $7, \
        finished_at = $8 WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(execute_one!(tx, SQL; workspace, row.id, &row.status, row.agent_id, &row.output, &row.error,
        row.started_at, row.finished_at))
}
