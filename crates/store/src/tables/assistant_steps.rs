//! The tables `assistant_steps` and `assistant_calls`: what the model said in each step of a run, and the calls that it
//! asked for.

use sqlx::FromRow;
use toolcrib_model::{Id, PlannedCallState, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct StepRow {
    pub run_id: Id,
    /// From 1.
    pub step: i64,
    /// What the model said.
    pub text: String,
    pub reasoning: String,
    /// Its message as the service gave it, as JSON.
    pub provider_message: String,
    /// The service's format.
    pub format: String,
    pub model: String,
    /// A digest of what the model was told before.
    pub prefix: String,
    /// Why it ended: `stop`, `calls`, `length`, `content_filter` or `refusal`.
    pub finish: String,
    pub input_tokens: i64,
    pub cached_input_tokens: i64,
    pub output_tokens: i64,
    /// Whether the service did not say the tokens.
    pub estimated: bool,
    /// How long the model took.
    pub duration_ms: i64,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

#[derive(Clone, Debug, FromRow)]
pub struct CallRow {
    pub id: Id,
    pub run_id: Id,
    pub step: i64,
    /// From 0, within its step.
    pub position: i64,
    /// The service's id of the call.
    pub provider_id: String,
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// The action that was called, once it is known.
    pub action: Option<String>,
    #[sqlx(try_from = "String")]
    pub state: PlannedCallState,
    /// The confirmation that it waits for, or waited for.
    pub confirmation_id: Option<Id>,
    /// The audit row.
    pub call_id: Option<Id>,
    /// What the model reads, as JSON text.
    pub answer: Option<String>,
    /// Whether the call was refused or failed.
    pub is_error: bool,
}

pub async fn insert(tx: &mut WriteTx, row: &StepRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO assistant_steps (workspace_id, run_id, step, text, reasoning, provider_message, format, \
        model, prefix, finish, input_tokens, cached_input_tokens, output_tokens, estimated, duration_ms, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.run_id).bind(row.step)
        .bind(&row.text).bind(&row.reasoning).bind(&row.provider_message).bind(&row.format).bind(&row.model)
        .bind(&row.prefix).bind(&row.finish).bind(row.input_tokens).bind(row.cached_input_tokens)
        .bind(row.output_tokens).bind(row.estimated).bind(row.duration_ms).bind(row.created_at.as_micros())
        .execute(c).await.map(|_| ()))
}

pub async fn insert_call(tx: &mut WriteTx, row: &CallRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO assistant_calls (workspace_id, id, run_id, step, position, provider_id, name, arguments, \
        action, state, confirmation_id, call_id, answer, is_error) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.run_id)
        .bind(row.step).bind(row.position).bind(&row.provider_id).bind(&row.name).bind(&row.arguments)
        .bind(&row.action).bind(row.state.as_str()).bind(row.confirmation_id).bind(row.call_id).bind(&row.answer)
        .bind(row.is_error).execute(c).await.map(|_| ()))
}

/// Stores what became of a call. The caller holds the run.
pub async fn update_call(tx: &mut WriteTx, row: &CallRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE assistant_calls SET action = $3, state = $4, confirmation_id = $5, call_id = $6, \
        answer = $7, is_error = $8 WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.action)
        .bind(row.state.as_str()).bind(row.confirmation_id).bind(row.call_id).bind(&row.answer).bind(row.is_error)
        .execute(c).await.map(|_| ()))
}

/// Returns the steps of a run, in order.
pub async fn of_run(tx: &mut Tx, run: Id) -> Result<Vec<StepRow>, StoreError> {
    const SQL: &str = select!(assistant_steps " FROM assistant_steps WHERE workspace_id = $1 AND run_id = $2 \
        ORDER BY step");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(run).fetch_all(c).await)
}

/// Returns the calls of a run, in order.
pub async fn calls_of_run(tx: &mut Tx, run: Id) -> Result<Vec<CallRow>, StoreError> {
    const SQL: &str = select!(assistant_calls " FROM assistant_calls WHERE workspace_id = $1 AND run_id = $2 \
        ORDER BY step, position");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(run).fetch_all(c).await)
}

/// Returns the steps of the runs of a thread that began at `since` or later, each run's in order.
pub async fn of_thread(tx: &mut Tx, owner: Id, thread: &str, since: Ts) -> Result<Vec<StepRow>, StoreError> {
    const SQL: &str = select!(assistant_steps "s." " FROM assistant_runs r JOIN assistant_steps s \
        ON s.workspace_id = r.workspace_id AND s.run_id = r.id WHERE r.workspace_id = $1 AND r.owner_id = $2 \
        AND r.thread = $3 AND r.created_at >= $4 ORDER BY s.run_id, s.step");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner).bind(thread)
        .bind(since.as_micros()).fetch_all(c).await)
}

/// Returns the calls of the runs of a thread that began at `since` or later, each run's in order.
pub async fn calls_of_thread(
    tx: &mut Tx,
    owner: Id,
    thread: &str,
    since: Ts,
) -> Result<Vec<CallRow>, StoreError> {
    const SQL: &str = select!(assistant_calls "c." " FROM assistant_runs r JOIN assistant_calls c \
        ON c.workspace_id = r.workspace_id AND c.run_id = r.id WHERE r.workspace_id = $1 AND r.owner_id = $2 \
        AND r.thread = $3 AND r.created_at >= $4 ORDER BY c.run_id, c.step, c.position");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner).bind(thread)
        .bind(since.as_micros()).fetch_all(c).await)
}

/// Returns whether a call of another run waits for the confirmation.
pub async fn others_wait(tx: &mut Tx, run: Id, confirmation: Id) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM assistant_calls WHERE workspace_id = $1 AND run_id <> $2 \
        AND confirmation_id = $3 AND state = 'waiting')";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(run)
        .bind(confirmation).fetch_one(c).await)
}

/// Returns whether a call of the run changed something.
pub async fn had_effect(tx: &mut Tx, run: Id) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM assistant_calls c JOIN action_log l ON l.workspace_id = c.workspace_id \
        AND l.id = c.call_id WHERE c.workspace_id = $1 AND c.run_id = $2 AND l.permission_level <> 'read' \
        AND l.outcome = 'succeeded')";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(run).fetch_one(c).await)?,
    )
}
