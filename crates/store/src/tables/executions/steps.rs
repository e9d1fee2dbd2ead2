//! The steps of an execution, copied from the playbook at the request, with the outcome of each.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{OptionalTime, StoreError, Tx, WriteTx};

/// A step of an execution.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ExecutionStepRow {
    /// Position of the step, from 0.
    pub position: i64,
    /// What is to be done; null where only the runtime knows.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub prompt: Option<String>,
    /// ID of the agent that does the work.
    pub agent_id: Option<Id>,
    /// Name of the agent; null if there is none or it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    #[schemars(extend("x-ours" = true))]
    pub on_error: Option<String>,
    /// Name under which later steps read the output.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub output_key: Option<String>,
    /// `pending`, `running`, `completed`, `failed` or `skipped`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Output.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub output: Option<String>,
    /// Error message.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub error: Option<String>,
    /// Start time.
    #[sqlx(try_from = "OptionalTime")]
    pub started_at: Option<Ts>,
    /// End time.
    #[sqlx(try_from = "OptionalTime")]
    pub finished_at: Option<Ts>,
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
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(execution)
        .fetch_all(c).await)?)
}

pub async fn step(tx: &mut Tx, execution: Id, position: i64) -> Result<Option<ExecutionStepRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 AND s.position = $3";
    Ok(with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(execution).bind(position)
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
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(execution).bind(row.position)
        .bind(&row.prompt).bind(row.agent_id).bind(&row.on_error).bind(&row.output_key).bind(&row.status)
        .bind(&row.output).bind(&row.error).bind(row.started_at.map(Ts::as_micros)).bind(row.finished_at.map(Ts::as_micros)).execute(c).await
        .map(|_| ()))?)
}
