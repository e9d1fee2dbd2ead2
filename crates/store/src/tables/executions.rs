//! Executions: requested runs of playbooks, and their outcome.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{JsonText, OptionalTime, StoreError, Tx, WriteTx, json};

/// An execution.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ExecutionRow {
    /// ID.
    pub id: Id,
    /// The playbook; it may be gone.
    pub playbook_id: Option<Id>,
    /// The playbook's name when it was asked for.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub playbook_name: Option<String>,
    /// The agent that ran it, where one did.
    pub agent_id: Option<Id>,
    /// `queued`, `running`, `completed`, `failed` or `cancelled`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Input.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    #[sqlx(try_from = "JsonText")]
    pub input: Option<Map<String, Value>>,
    /// Output.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub output: Option<String>,
    /// Error message.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub error: Option<String>,
    /// Time of the request.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Start time.
    #[sqlx(try_from = "OptionalTime")]
    pub started_at: Option<Ts>,
    /// End time.
    #[sqlx(try_from = "OptionalTime")]
    pub finished_at: Option<Ts>,
    /// `user`, `agent`, `service` or `schedule`; `None` if a runtime reported the execution without a request.
    #[serde(skip)]
    pub requested_by_kind: Option<String>,
    /// The id of the principal that requested it.
    #[serde(skip)]
    pub requested_by: Option<Id>,
    /// The stored caller as whom the assistant runs the steps.
    #[serde(skip)]
    pub caller: Option<String>,
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ExecutionRow>, StoreError> {
    tx.find(by_id!(executions), id).await
}

/// Returns the execution with this id and locks its row until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<ExecutionRow>, StoreError> {
    let sql = locked!(tx, by_id!(executions) => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Returns the last executions of a playbook, newest first; at most `limit`.
pub async fn recent(tx: &mut Tx, playbook: Id, limit: i64) -> Result<Vec<ExecutionRow>, StoreError> {
    const SQL: &str = select!(executions " FROM executions WHERE workspace_id = $1 AND playbook_id = $2 \
        ORDER BY created_at DESC, id DESC LIMIT $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(playbook).bind(limit)
        .fetch_all(c).await)
}

/// Counts the workspace's executions that are queued or running. Other transactions wait here until this one
/// ends, so that the caller can enforce a limit on the count.
pub async fn count_open(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM executions \
        WHERE workspace_id = $1 AND status IN ('queued', 'running')";
    tx.lock("executions").await?;
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Inserts an execution and copies the playbook's current steps to it with status `pending`. Changes nothing
/// and returns `false` if an execution with this id exists, for which the caller has looked before.
pub async fn insert(tx: &mut WriteTx, row: &ExecutionRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO executions (workspace_id, id, playbook_id, playbook_name, agent_id, status, input, \
        output, error, requested_by_kind, requested_by, created_at, started_at, finished_at, caller) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (workspace_id, id) DO NOTHING";
    const STEPS: &str = "INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, \
        output_key, status) SELECT workspace_id, $2, position, prompt, agent_id, on_error, output_key, 'pending' \
        FROM playbook_steps WHERE workspace_id = $1 AND playbook_id = $3";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.playbook_id)
        .bind(&row.playbook_name).bind(row.agent_id).bind(&row.status).bind(row.input.as_ref().map(json).transpose()?).bind(&row.output)
        .bind(&row.error).bind(&row.requested_by_kind).bind(row.requested_by).bind(row.created_at.as_micros())
        .bind(row.started_at.map(Ts::as_micros)).bind(row.finished_at.map(Ts::as_micros))
        .bind(&row.caller).execute(c).await.map(|done| done.rows_affected()))?;
    let is_new = changed == 1;
    if !is_new {
        return Ok(false);
    }
    if let Some(playbook) = row.playbook_id {
        with_backend!(tx, workspace, c => sqlx::query(STEPS).bind(workspace).bind(row.id).bind(playbook)
            .execute(c).await.map(|_| ()))?;
    }
    Ok(true)
}

/// Updates the state of an execution. Returns `false` if the execution does not exist.
pub async fn update(tx: &mut WriteTx, row: &ExecutionRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE executions SET status = $3, agent_id = $4, output = $5, error = $6, started_at = $7, \
        finished_at = $8 WHERE workspace_id = $1 AND id = $2";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.status)
        .bind(row.agent_id).bind(&row.output).bind(&row.error).bind(row.started_at.map(Ts::as_micros)).bind(row.finished_at.map(Ts::as_micros))
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

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
    const SQL: &str = select!(execution_steps "s." ", a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 ORDER BY s.position");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(execution)
        .fetch_all(c).await)
}

pub async fn step(tx: &mut Tx, execution: Id, position: i64) -> Result<Option<ExecutionStepRow>, StoreError> {
    const SQL: &str = select!(execution_steps "s." ", a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 AND s.position = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(execution).bind(position)
        .fetch_optional(c).await)
}

/// Inserts a step, or updates the state of the step at this position.
pub async fn put_step(tx: &mut WriteTx, execution: Id, row: &ExecutionStepRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, \
        output_key, status, output, error, started_at, finished_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (workspace_id, execution_id, position) DO UPDATE SET agent_id = excluded.agent_id, \
        status = excluded.status, output = excluded.output, error = excluded.error, \
        started_at = excluded.started_at, finished_at = excluded.finished_at";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(execution).bind(row.position)
        .bind(&row.prompt).bind(row.agent_id).bind(&row.on_error).bind(&row.output_key).bind(&row.status)
        .bind(&row.output).bind(&row.error).bind(row.started_at.map(Ts::as_micros)).bind(row.finished_at.map(Ts::as_micros)).execute(c).await
        .map(|_| ()))
}
