//! The table `assistant_runs`: what the assistant does about one message.

mod worker;

pub use worker::{
    Progress, RunningLimits, claim, done_waiting, lost, queued, release, renew, requeue_lost,
    requeue_waiting, update,
};

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, RunKind, RunState, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct RunRow {
    pub id: Id,
    /// The person, or the service key that acts for none.
    pub owner_id: Id,
    /// The person, if it is one.
    pub user_id: Option<Id>,
    #[sqlx(try_from = "String")]
    pub kind: RunKind,
    /// What a background run is for: an agent's heartbeat, a schedule, an execution or a mission.
    pub ref_id: Option<Id>,
    /// The position of the execution's step, or of the mission's task.
    pub position: Option<i64>,
    /// The name of the thread, which the client chose. That of a background run has a colon.
    pub thread: String,
    /// The client's id of the message.
    pub message_id: Option<String>,
    /// The agent whose prompt and model are used.
    pub agent_id: Option<Id>,
    /// The stored caller.
    pub caller: String,
    /// The name of the model at its service. Empty until the first step of a background run.
    pub model: String,
    /// The workspace's upstream; `None` for the operator's service.
    pub upstream: Option<String>,
    pub message: String,
    /// What stands before the words; `None` until the first step.
    pub preface: Option<String>,
    /// The first run of the thread that the model is shown; `None` until the first step.
    pub history_from: Option<Id>,
    #[sqlx(try_from = "String")]
    pub state: RunState,
    /// Whether it was asked to stop.
    pub stop: bool,
    /// Grows with each process that takes the run.
    pub fence: i64,
    /// How many processes lost it.
    pub lost: i64,
    /// When it fails at the latest.
    #[sqlx(try_from = "i64")]
    pub deadline: Ts,
    pub steps: i64,
    pub input_tokens: i64,
    /// The part of the input that the service had in its cache.
    pub cached_input_tokens: i64,
    pub output_tokens: i64,
    /// What the requests to the model cost, in millionths of a dollar.
    pub cost_microusd: i64,
    /// Whether the model has a price. Otherwise the cost is 0.
    pub cost_known: bool,
    /// Why it failed: a code, and a sentence.
    pub error_code: Option<String>,
    pub error: Option<String>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// When it ended, in microseconds.
    pub ended_at: Option<i64>,
}

impl RunRow {
    /// Makes a queued run of nobody, without a thread and a message.
    pub fn queued(id: Id, kind: RunKind, now: Ts) -> Self {
        Self {
            id,
            owner_id: Id::nil(),
            user_id: None,
            kind,
            ref_id: None,
            position: None,
            thread: String::new(),
            message_id: None,
            agent_id: None,
            caller: String::new(),
            model: String::new(),
            upstream: None,
            message: String::new(),
            preface: None,
            history_from: None,
            state: RunState::Queued,
            stop: false,
            fence: 0,
            lost: 0,
            deadline: now,
            steps: 0,
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
            cost_microusd: 0,
            cost_known: true,
            error_code: None,
            error: None,
            created_at: now,
            updated_at: now,
            ended_at: None,
        }
    }
}

/// Inserts a run that is queued. Returns `false`, having inserted nothing, if the thread has an open run.
pub async fn insert(tx: &mut WriteTx, row: &RunRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO assistant_runs (workspace_id, id, owner_id, user_id, thread, message_id, agent_id, caller, model, \
        upstream, kind, ref_id, position, message, preface, history_from, state, stop, fence, lease_until, lost, deadline, steps, input_tokens, \
        cached_input_tokens, output_tokens, cost_microusd, cost_known, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, \
        $6, $7, $8, $9, $10, $11, $12, $13, $14, NULL, NULL, 'queued', FALSE, 0, NULL, 0, $15, 0, 0, 0, 0, 0, TRUE, $16, $16) \
        ON CONFLICT (workspace_id, owner_id, thread) WHERE state IN ('queued', 'running', 'waiting') DO NOTHING";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.owner_id)
        .bind(row.user_id).bind(&row.thread).bind(&row.message_id).bind(row.agent_id).bind(&row.caller).bind(&row.model)
        .bind(&row.upstream).bind(row.kind.as_str()).bind(row.ref_id).bind(row.position).bind(&row.message).bind(row.deadline.as_micros())
        .bind(row.created_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

/// Returns a run that was not deleted.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<RunRow>, StoreError> {
    const SQL: &str = select!(assistant_runs " FROM assistant_runs WHERE workspace_id = $1 AND id = $2 \
        AND thread <> ''");
    tx.find(SQL, id).await
}

/// Returns at most `limit` runs of a thread, newest first.
pub async fn of_thread(tx: &mut Tx, owner: Id, thread: &str, limit: i64) -> Result<Vec<RunRow>, StoreError> {
    const SQL: &str = select!(assistant_runs
        " FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND thread = $3 \
        ORDER BY created_at DESC, id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner).bind(thread)
        .bind(limit).fetch_all(c).await)
}

/// Returns how many bytes the texts of each of the newest runs of a thread have, with their steps and calls; newest
/// first.
pub async fn sizes_of_thread(
    tx: &mut Tx,
    owner: Id,
    thread: &str,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    const SQL: &str = "SELECT CAST(OCTET_LENGTH(r.message) AS BIGINT) + (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(s.text) \
        + OCTET_LENGTH(s.reasoning) + OCTET_LENGTH(s.provider_message)), 0) AS BIGINT) FROM assistant_steps s \
        WHERE s.workspace_id = r.workspace_id AND s.run_id = r.id) + (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(c.arguments) \
        + COALESCE(OCTET_LENGTH(c.answer), 0)), 0) AS BIGINT) FROM assistant_calls c \
        WHERE c.workspace_id = r.workspace_id AND c.run_id = r.id) \
        FROM assistant_runs r WHERE r.workspace_id = $1 AND r.owner_id = $2 AND r.thread = $3 \
        ORDER BY r.created_at DESC, r.id DESC LIMIT $4";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(owner).bind(thread)
        .bind(limit).fetch_all(c).await)
}

/// Returns the newest run of a thread that has this id of a message.
pub async fn of_message(
    tx: &mut Tx,
    owner: Id,
    thread: &str,
    message: &str,
) -> Result<Option<RunRow>, StoreError> {
    const SQL: &str = select!(assistant_runs
        " FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND thread = $3 \
        AND message_id = $4 ORDER BY created_at DESC, id DESC LIMIT 1");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner).bind(thread)
        .bind(message).fetch_optional(c).await)
}

pub async fn count_of_thread(tx: &mut Tx, owner: Id, thread: &str) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 \
        AND thread = $3";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(owner).bind(thread)
        .fetch_one(c).await)
}

/// Asks the open runs for one thing to stop: for a heartbeat, a schedule, an execution or a mission.
pub async fn request_stop_of(tx: &mut WriteTx, kind: RunKind, ref_id: Id, now: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET stop = TRUE, updated_at = $4, \
        state = CASE WHEN state = 'waiting' THEN 'queued' ELSE state END \
        WHERE workspace_id = $1 AND kind = $2 AND ref_id = $3 AND state IN ('queued', 'running', 'waiting')";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(kind.as_str()).bind(ref_id)
        .bind(now.as_micros()).execute(c).await.map(|_| ()))
}

/// Which runs a list has. `None` for any.
#[derive(Clone, Copy, Debug)]
pub struct RunFilter {
    pub owner: Option<Id>,
    pub state: Option<RunState>,
    pub kind: Option<RunKind>,
}

/// Lists at most `limit` runs after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: RunFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<RunRow>, StoreError> {
    let sql = filtered!(select!(assistant_runs " FROM assistant_runs WHERE workspace_id = $1 AND thread <> '' \
        AND "),
        [filter.owner => "owner_id = $2" or "$2 IS NULL", filter.state => "state = $3" or "$3 IS NULL", filter.kind => "kind = $4" or "$4 IS NULL"],
        " AND (created_at, id) < ($5, $6) ORDER BY created_at DESC, id DESC LIMIT $7"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(filter.owner)
        .bind(filter.state.map(RunState::as_str)).bind(filter.kind.map(RunKind::as_str)).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// A thread.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ThreadRow {
    /// Name.
    pub thread: String,
    /// Beginning of its first message.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub first_message: String,
    /// Number of runs.
    pub runs: i64,
    /// Last run.
    pub last_run: Id,
    /// State of the last run.
    #[sqlx(try_from = "String")]
    pub state: RunState,
    /// When the last run began.
    #[sqlx(try_from = "i64")]
    pub last_at: Ts,
}

/// Lists at most `limit` threads of a person after `cursor`, the last used first, with 80 characters of the first message.
pub async fn threads(
    tx: &mut Tx,
    owner: Id,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ThreadRow>, StoreError> {
    const SQL: &str = "SELECT r.thread, r.created_at AS last_at, r.id AS last_run, r.state, \
        (SELECT COUNT(*) FROM assistant_runs n WHERE n.workspace_id = r.workspace_id AND n.owner_id = r.owner_id \
        AND n.thread = r.thread) AS runs, \
        (SELECT substr(f.message, 1, 80) FROM assistant_runs f WHERE f.workspace_id = r.workspace_id AND f.owner_id = r.owner_id \
        AND f.thread = r.thread ORDER BY f.created_at, f.id LIMIT 1) AS first_message \
        FROM assistant_runs r WHERE r.workspace_id = $1 AND r.owner_id = $2 AND r.thread <> '' AND r.kind = 'chat' \
        AND (r.created_at, r.id) < ($3, $4) \
        AND NOT EXISTS (SELECT 1 FROM assistant_runs l WHERE l.workspace_id = r.workspace_id \
        AND l.owner_id = r.owner_id AND l.thread = r.thread AND (l.created_at, l.id) > (r.created_at, r.id)) \
        ORDER BY r.created_at DESC, r.id DESC LIMIT $5";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Asks an open run to stop. Returns whether it is open.
pub async fn request_stop(tx: &mut WriteTx, id: Id, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET stop = TRUE, updated_at = $3, \
        state = CASE WHEN state = 'waiting' THEN 'queued' ELSE state END \
        WHERE workspace_id = $1 AND id = $2 AND state IN ('queued', 'running', 'waiting')";
    Ok(tx.execute_at(SQL, id, now).await? == 1)
}

/// Ends a run that waits as completed, because its person sent another message. Its confirmations stay open.
pub async fn complete_waiting(tx: &mut WriteTx, id: Id, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = 'completed', updated_at = $3, ended_at = $3, \
        fence = fence + 1 WHERE workspace_id = $1 AND id = $2 AND state = 'waiting'";
    Ok(tx.execute_at(SQL, id, now).await? == 1)
}

/// Returns the workspace's open runs, oldest first.
pub async fn all_open(tx: &mut Tx) -> Result<Vec<RunRow>, StoreError> {
    const SQL: &str = select!(assistant_runs
        " FROM assistant_runs WHERE workspace_id = $1 AND state IN ('queued', 'running', 'waiting') \
          ORDER BY created_at, id");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Ends an open run as failed, whoever holds it.
pub async fn fail(tx: &mut WriteTx, id: Id, code: &str, sentence: &str, now: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE assistant_runs SET state = 'failed', error_code = $3, error = $4, updated_at = $5, \
        ended_at = $5, fence = fence + 1, lease_until = NULL \
        WHERE workspace_id = $1 AND id = $2 AND state IN ('queued', 'running', 'waiting')";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(code).bind(sentence)
        .bind(now.as_micros()).execute(c).await.map(|_| ()))
}

/// What a workspace's runs used since a time, and how many runs of a person are open.
#[derive(Clone, Copy, Debug, Default, FromRow)]
pub struct Used {
    /// Runs that began since the time: those with a person, or those without.
    pub runs: i64,
    /// Input and output tokens of these runs.
    pub tokens: i64,
    /// Their cost, in millionths of a dollar.
    pub cost_microusd: i64,
    /// The tokens and the cost of those with no person beside them.
    pub background_tokens: i64,
    pub background_microusd: i64,
    /// Open chats of the person.
    pub open: i64,
}

/// Returns what the workspace's runs used since a time, and the number of the person's open chats. Counts the runs with
/// a person, or with `background` those without that have asked a model.
pub async fn used(tx: &mut Tx, owner: Id, since: Ts, background: bool) -> Result<Used, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FILTER (WHERE (kind <> 'chat') = $4 AND (kind = 'chat' OR steps > 0)) AS runs, \
        CAST(COALESCE(SUM(input_tokens + output_tokens), 0) AS BIGINT) AS tokens, \
        CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS cost_microusd, \
        CAST(COALESCE(SUM(input_tokens + output_tokens) FILTER (WHERE kind <> 'chat'), 0) AS BIGINT) AS background_tokens, \
        CAST(COALESCE(SUM(cost_microusd) FILTER (WHERE kind <> 'chat'), 0) AS BIGINT) AS background_microusd, \
        (SELECT COUNT(*) FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND kind = 'chat' \
        AND state IN ('queued', 'running', 'waiting')) AS open \
        FROM assistant_runs WHERE workspace_id = $1 AND created_at >= $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(owner)
        .bind(since.as_micros()).bind(background).fetch_one(c).await)
}

/// Deletes the runs of a thread with their steps and calls. Returns the number of runs. Of runs since a time a row
/// without a thread and without texts stays, because what they used counts in [`used`]; older ones of these go.
pub async fn delete_thread(tx: &mut WriteTx, owner: Id, thread: &str, since: Ts) -> Result<u64, StoreError> {
    const CALLS: &str = "DELETE FROM assistant_calls WHERE workspace_id = $1 AND run_id IN \
        (SELECT id FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND thread = $3)";
    const STEPS: &str = "DELETE FROM assistant_steps WHERE workspace_id = $1 AND run_id IN \
        (SELECT id FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND thread = $3)";
    const TEXTS: &str = "UPDATE assistant_runs SET thread = '', message_id = NULL, message = '', preface = NULL, caller = '', \
        error = NULL WHERE workspace_id = $1 AND owner_id = $2 AND thread = $3";
    const RUNS: &str = "DELETE FROM assistant_runs WHERE workspace_id = $1 AND owner_id = $2 AND thread = '' \
        AND created_at < $3";
    let mut deleted = 0;
    for sql in [CALLS, STEPS, TEXTS] {
        deleted = with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(owner).bind(thread)
            .execute(c).await.map(|done| done.rows_affected()))?;
    }
    with_backend!(tx, workspace, c => sqlx::query(RUNS).bind(workspace).bind(owner).bind(since.as_micros())
        .execute(c).await.map(|_| ()))?;
    Ok(deleted)
}
