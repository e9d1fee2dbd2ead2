//! Playbooks, their schedule and their steps.

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts, name_key};

use crate::backend::{StoreError, Tx, WriteTx, hex_optional_id, json};

#[derive(Clone, Debug, FromRow)]
pub struct PlaybookRow {
    pub id: Id,
    /// The name: unique in the workspace, compared regardless of case.
    pub name: String,
    pub description: String,
    /// A JSON list of strings.
    pub tags: String,
    /// `active` or `inactive`.
    pub status: String,
    /// The cron expression of the schedule.
    pub cron: Option<String>,
    /// The time zone of the cron expression.
    pub timezone: Option<String>,
    /// When the schedule is next due, in microseconds; `None` without a schedule or while the playbook is
    /// inactive.
    pub next_run_at: Option<i64>,
    /// The maximum number of retries of a step.
    pub max_retries: i64,
    /// The timeout of a step in seconds.
    pub step_timeout_s: i64,
    /// The version of the row; each update of the playbook or its steps increments it.
    pub version: i64,
    /// The user who created the playbook.
    pub created_by: Option<Id>,
    /// The stored caller who changed the playbook last. The assistant runs what its schedule queues as them.
    pub caller: Option<String>,
    /// The user who changed the playbook last.
    pub set_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// A playbook with statistics of its executions.
#[derive(Clone, Debug, FromRow)]
pub struct PlaybookStats {
    #[sqlx(flatten)]
    pub playbook: PlaybookRow,
    pub step_count: i64,
    pub completed: i64,
    pub failed: i64,
    /// When the last execution was requested, in microseconds.
    pub last_run_at: Option<i64>,
    pub last_run_status: Option<String>,
}

/// Lists at most `limit` playbooks with their statistics after `cursor`, newest first. With `status`, only
/// playbooks with this status.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<PlaybookStats>, StoreError> {
    let sql = filtered!(select!(playbooks "p." ", \
         (SELECT CAST(COUNT(*) AS BIGINT) FROM playbook_steps s \
             WHERE s.workspace_id = p.workspace_id AND s.playbook_id = p.id) AS step_count, \
         (SELECT CAST(COUNT(*) AS BIGINT) FROM executions e WHERE e.workspace_id = p.workspace_id \
             AND e.playbook_id = p.id AND e.status = 'completed') AS completed, \
         (SELECT CAST(COUNT(*) AS BIGINT) FROM executions e WHERE e.workspace_id = p.workspace_id \
             AND e.playbook_id = p.id AND e.status = 'failed') AS failed, \
         (SELECT e.created_at FROM executions e WHERE e.workspace_id = p.workspace_id AND e.playbook_id = p.id \
             ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS last_run_at, \
         (SELECT e.status FROM executions e WHERE e.workspace_id = p.workspace_id AND e.playbook_id = p.id \
             ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS last_run_status \
         FROM playbooks p WHERE p.workspace_id = $1 AND "),
        [status => "p.status = $2" or "$2 IS NULL"],
        " AND (p.created_at, p.id) < ($3, $4) ORDER BY p.created_at DESC, p.id DESC LIMIT $5"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<PlaybookRow>, StoreError> {
    tx.find(by_id!(playbooks), id).await
}

/// Returns the playbook with this id. Other transactions that change or lock it wait until this one ends; SQLite has
/// one writer anyway.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<PlaybookRow>, StoreError> {
    let sql = locked!(tx, by_id!(playbooks) => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Returns the playbook with this name, compared regardless of case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<PlaybookRow>, StoreError> {
    const SQL: &str = select!(playbooks " FROM playbooks WHERE workspace_id = $1 AND name_key = $2");
    let (workspace, key) = (tx.workspace, name_key(name));
    with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)
}

/// Returns the names of the newest 500 playbooks, for suggestions of similar names.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM playbooks WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Inserts a playbook. Fails with [`StoreError::Duplicate`] if its name is taken.
pub async fn insert(tx: &mut WriteTx, row: &PlaybookRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO playbooks (workspace_id, id, name, name_key, description, tags, status, cron, timezone, \
        next_run_at, max_retries, step_timeout_s, version, created_by, created_at, updated_at, caller, set_by) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    let key = name_key(&row.name);
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name)
        .bind(&key).bind(&row.description).bind(&row.tags).bind(&row.status).bind(&row.cron)
        .bind(&row.timezone).bind(row.next_run_at).bind(row.max_retries).bind(row.step_timeout_s)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros())
        .bind(row.updated_at.as_micros()).bind(&row.caller).bind(row.set_by).execute(c).await.map(|_| ()))
}

/// Updates a playbook and increments its version if the stored version is still `row.version`; returns
/// `false` otherwise.
pub async fn update(tx: &mut WriteTx, row: &PlaybookRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE playbooks SET name = $4, name_key = $5, description = $6, tags = $7, status = $8, cron = $9, \
        timezone = $10, next_run_at = $11, max_retries = $12, step_timeout_s = $13, updated_at = $14, caller = $15, set_by = $16, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let key = name_key(&row.name);
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version)
        .bind(&row.name).bind(&key).bind(&row.description).bind(&row.tags).bind(&row.status).bind(&row.cron)
        .bind(&row.timezone).bind(row.next_run_at).bind(row.max_retries).bind(row.step_timeout_s)
        .bind(row.updated_at.as_micros()).bind(&row.caller).bind(row.set_by).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Deletes a playbook with its steps and schedule. Returns `false` if the playbook does not exist. Its
/// executions remain.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM playbooks WHERE workspace_id = $1 AND id = $2";
    replace_steps(tx, id, &[]).await?;
    Ok(tx.execute(SQL, id).await? == 1)
}

/// A row of `playbook_steps` with the agent's name.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct StepRow {
    pub prompt: String,
    #[serde(serialize_with = "hex_optional_id")]
    pub agent_id: Option<Id>,
    /// The agent's name; `None` if the agent no longer exists.
    #[serde(skip)]
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    pub on_error: String,
    /// The name under which later steps get the output.
    pub output_key: Option<String>,
}

/// Returns the steps of a playbook, in order.
pub async fn steps(tx: &mut Tx, playbook: Id) -> Result<Vec<StepRow>, StoreError> {
    const SQL: &str = "SELECT s.prompt, s.agent_id, a.name AS agent_name, s.on_error, s.output_key \
        FROM playbook_steps s LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.playbook_id = $2 ORDER BY s.position";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(playbook)
        .fetch_all(c).await)
}

/// A step as JSON, without its playbook.
#[derive(Serialize)]
struct NewStep<'s> {
    position: usize,
    #[serde(flatten)]
    step: &'s StepRow,
}

pub async fn replace_steps(tx: &mut WriteTx, playbook: Id, steps: &[StepRow]) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM playbook_steps WHERE workspace_id = $1 AND playbook_id = $2";
    tx.execute(SQL, playbook).await?;
    insert_steps(tx, playbook, steps).await
}

/// Inserts the steps of a playbook that has none, with one statement.
pub async fn insert_steps(tx: &mut WriteTx, playbook: Id, steps: &[StepRow]) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, \
        output_key) SELECT $1, $2, v->>'position', v->>'prompt', unhex(v->>'agent_id'), v->>'on_error', \
        v->>'output_key' FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, \
        output_key) SELECT $1, $2, v.* FROM json_to_recordset(CAST($3 AS json)) \
        AS v(position BIGINT, prompt TEXT, agent_id UUID, on_error TEXT, output_key TEXT)";
    if steps.is_empty() {
        return Ok(());
    }
    let rows: Vec<NewStep<'_>> =
        steps.iter().enumerate().map(|(position, step)| NewStep { position, step }).collect();
    let (workspace, rows) = (tx.workspace, json(&rows)?);
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, c => sqlx::query(sql).bind(workspace).bind(playbook).bind(rows).execute(c).await
        .map(|_| ()))
}

/// A playbook that is due, with its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct DuePlaybook {
    pub workspace_id: Id,
    #[sqlx(flatten)]
    pub playbook: PlaybookRow,
}

/// Returns at most `limit` due playbooks of all workspaces, the longest overdue first, and locks their rows
/// until the transaction ends; skips rows that another transaction has locked.
pub async fn claim(tx: &mut WriteTx, now: Ts, limit: i64) -> Result<Vec<DuePlaybook>, StoreError> {
    let now = now.as_micros();
    let sql = locked!(tx, select!(playbooks "p." " FROM playbooks p JOIN workspaces w \
        ON w.id = p.workspace_id WHERE p.status = 'active' AND p.next_run_at <= $1 AND w.deleted_at IS NULL \
        ORDER BY p.next_run_at, p.id LIMIT $2") => " FOR UPDATE OF p SKIP LOCKED");
    with_backend!(tx, c => sqlx::query_as(sql).bind(now).bind(limit).fetch_all(c).await)
}

/// Stores when a playbook's schedule is next due.
pub async fn set_next_run(tx: &mut WriteTx, playbook: Id, next: Option<Ts>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE playbooks SET next_run_at = $3 WHERE workspace_id = $1 AND id = $2";
    let (workspace, next) = (tx.workspace, next.map(Ts::as_micros));
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(playbook).bind(next).execute(c).await
        .map(|_| ()))
}

/// Makes a playbook inactive, so that its schedule is not due any more.
pub async fn switch_off(tx: &mut WriteTx, playbook: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE playbooks SET status = 'inactive', next_run_at = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2";
    tx.execute_at(SQL, playbook, at).await?;
    Ok(())
}
