//! The steps of an execution, copied from the playbook at the request, with the outcome of each.

use sqlx::FromRow;
use toolcrib_model::Id;

use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `execution_steps` with the agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct ExecutionStepRow {
    /// The position, from 0.
    pub position: i64,
    /// The prompt; `None` if only the runtime knows the step.
    pub prompt: Option<String>,
    /// The agent that executes the step.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` if the agent no longer exists.
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    pub on_error: Option<String>,
    /// The name under which later steps get the output.
    pub output_key: Option<String>,
    /// `pending`, `running`, `completed`, `failed` or `skipped`.
    pub status: String,
    pub output: Option<String>,
    /// The reason of a failure.
    pub error: Option<String>,
    /// When it began, in microseconds.
    pub started_at: Option<i64>,
    /// When it ended, in microseconds.
    pub finished_at: Option<i64>,
}

impl ExecutionStepRow {
    /// A pending step that only the runtime knows.
    pub fn unknown(position: i64) -> Self {
        Self {
            position,
            prompt: None,
            agent_id: None,
            agent_name: None,
            on_error: None,
            output_key: None,
            status: "pending".to_owned(),
            output: None,
            error: None,
            started_at: None,
            finished_at: None,
        }
    }
}

/// Returns the steps of an execution, in order.
pub async fn steps(tx: &mut Tx, execution: Id) -> Result<Vec<ExecutionStepRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 ORDER BY s.position";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(execution).fetch_all(c).await)?)
}

/// Returns one step of an execution.
pub async fn step(tx: &mut Tx, execution: Id, position: i64) -> Result<Option<ExecutionStepRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 AND s.position = $3";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(execution).bind(position)
        .fetch_optional(c).await)?)
}

/// Inserts a step, or updates the state of the step at this position.
pub async fn put_step(tx: &mut WriteTx, execution: Id, row: &ExecutionStepRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, \
        output_key, status, output, error, started_at, finished_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (workspace_id, execution_id, position) DO UPDATE SET agent_id = excluded.agent_id, \
        status = excluded.status, output = excluded.output, error = excluded.error, \
        started_at = excluded.started_at, finished_at = excluded.finished_at";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(execution).bind(row.position)
        .bind(&row.prompt).bind(row.agent_id).bind(&row.on_error).bind(&row.output_key).bind(&row.status)
        .bind(&row.output).bind(&row.error).bind(row.started_at).bind(row.finished_at).execute(c).await
        .map(|_| ()))?;
    Ok(())
}
