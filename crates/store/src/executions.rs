//! Executions: what was asked to run, and what became of it.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{StoreError, Tx, WriteTx, playbooks::StepRow};

/// An execution as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ExecutionRow {
    /// Its id.
    pub id: Id,
    /// The playbook; `None` where a runtime ran something else.
    pub playbook_id: Option<Id>,
    /// The playbook's name when it was asked for.
    pub playbook_name: Option<String>,
    /// The agent that ran it, where one did.
    pub agent_id: Option<Id>,
    /// `queued`, `running`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// What it was given, as a JSON object.
    pub input: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// `user`, `agent` or `service`; `None` where a runtime reported it by itself.
    pub requested_by_kind: Option<String>,
    /// Who asked for it.
    pub requested_by: Option<Id>,
    /// When it was asked for.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it began, in microseconds.
    pub started_at: Option<i64>,
    /// When it ended, in microseconds.
    pub finished_at: Option<i64>,
}

/// A step of an execution, with its agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct ExecutionStepRow {
    /// Where it stands, from 0.
    pub position: i64,
    /// What is to be done; `None` where only a runtime knows.
    pub prompt: Option<String>,
    /// Who does it.
    pub agent_id: Option<Id>,
    /// The agent's name; `None` too where the agent is gone.
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    pub on_error: Option<String>,
    /// The name under which later steps find its output.
    pub output_key: Option<String>,
    /// `pending`, `running`, `completed`, `failed` or `skipped`.
    pub status: String,
    /// What it gave.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// When it began, in microseconds.
    pub started_at: Option<i64>,
    /// When it ended, in microseconds.
    pub finished_at: Option<i64>,
}

/// One execution by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ExecutionRow>, StoreError> {
    const SQL: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(on!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// The steps of an execution, in order.
pub async fn steps(tx: &mut Tx, execution: Id) -> Result<Vec<ExecutionStepRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM execution_steps s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.execution_id = $2 ORDER BY s.position";
    let workspace = tx.workspace;
    Ok(on!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(execution).fetch_all(c).await)?)
}

/// The last executions of a playbook, newest first; at most `limit` rows.
pub async fn recent(tx: &mut Tx, playbook: Id, limit: i64) -> Result<Vec<ExecutionRow>, StoreError> {
    const SQL: &str = "SELECT * FROM executions WHERE workspace_id = $1 AND playbook_id = $2 \
        ORDER BY created_at DESC, id DESC LIMIT $3";
    let workspace = tx.workspace;
    Ok(on!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(playbook).bind(limit).fetch_all(c).await)?)
}

/// How many executions of the workspace are queued or running. Until the transaction ends nobody else counts them
/// this way, so that a cap on them holds.
pub async fn count_open(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM executions \
        WHERE workspace_id = $1 AND status IN ('queued', 'running')";
    let workspace = tx.workspace;
    // SQLite has one writer: nobody else is in a write transaction.
    Ok(on_each!(tx,
        sqlite c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await,
        pg c => {
            sqlx::query("SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE").bind(workspace)
                .execute(&mut *c).await?;
            sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await
        },
    )?)
}

/// Adds an execution whose steps all wait.
pub async fn insert(tx: &mut WriteTx, row: &ExecutionRow, steps: &[StepRow]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO executions (workspace_id, id, playbook_id, playbook_name, agent_id, status, input, \
        error, requested_by_kind, requested_by, created_at, started_at, finished_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    const STEP: &str = "INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, \
        output_key, status) VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending')";
    let workspace = tx.workspace;
    on!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.playbook_id).bind(&row.playbook_name)
        .bind(row.agent_id).bind(&row.status).bind(&row.input).bind(&row.error).bind(&row.requested_by_kind)
        .bind(row.requested_by).bind(row.created_at.as_micros()).bind(row.started_at).bind(row.finished_at)
        .execute(c).await.map(|_| ()))?;
    for (position, step) in (0_i64..).zip(steps) {
        on!(tx, c => sqlx::query(STEP).bind(workspace).bind(row.id).bind(position).bind(&step.prompt)
            .bind(step.agent_id).bind(&step.on_error).bind(&step.output_key).execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

/// Stores how an execution stands; `false` where it is gone.
pub async fn update(tx: &mut WriteTx, row: &ExecutionRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE executions SET status = $3, agent_id = $4, error = $5, started_at = $6, finished_at = $7 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let changed = on!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.status).bind(row.agent_id)
        .bind(&row.error).bind(row.started_at).bind(row.finished_at).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
