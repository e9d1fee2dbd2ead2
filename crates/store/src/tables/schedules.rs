//! The table `schedules`: tasks that agents do at a later time, once or repeatedly.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `schedules` with the agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct ScheduleRow {
    pub id: Id,
    /// `one_shot` or `recurring`.
    pub kind: String,
    /// The task, in words.
    pub description: String,
    /// An RFC 3339 time, or a cron expression with five fields.
    pub due: String,
    /// The time zone of the cron expression.
    pub timezone: String,
    /// The agent that does the task.
    pub agent_id: Id,
    /// The agent's name; absent if the agent no longer exists.
    #[sqlx(default)]
    pub agent_name: Option<String>,
    /// `active`, `paused`, `completed`, `cancelled` or `failed`.
    pub status: String,
    /// The number of runs after which the schedule is completed.
    pub max_runs: Option<i64>,
    /// The number of times that the schedule was due.
    pub runs: i64,
    /// When the schedule is next due, in microseconds.
    pub next_at: Option<i64>,
    /// When the schedule was last due, in microseconds.
    pub last_at: Option<i64>,
    /// The version of the row; each update by a caller increments it.
    pub version: i64,
    /// The user who created the schedule.
    pub created_by: Option<Id>,
    /// The stored caller who created the schedule. The assistant does the task as them.
    pub caller: Option<String>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct ActiveCounts {
    /// Active schedules of one agent, of either kind.
    pub of_agent: i64,
    /// Active recurring schedules of the workspace.
    pub recurring: i64,
}

/// Lists at most `limit` schedules after `cursor`, newest first. With `status` or `agent`, only schedules
/// with this status or of this agent.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    agent: Option<Id>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ScheduleRow>, StoreError> {
    let sql = filtered!(select!(schedules "s." ", a.name AS agent_name FROM schedules s \
         LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
         WHERE s.workspace_id = $1 AND "),
        [status => "s.status = $2" or "$2 IS NULL", agent => "s.agent_id = $3" or "$3 IS NULL"],
        " AND (s.created_at, s.id) < ($4, $5) ORDER BY s.created_at DESC, s.id DESC LIMIT $6"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(status).bind(agent)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ScheduleRow>, StoreError> {
    const SQL: &str = select!(schedules "s." ", a.name AS agent_name FROM schedules s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.id = $2");
    tx.find(SQL, id).await
}

/// Counts the active schedules. Other transactions wait here until this one ends, so that the caller can
/// enforce a limit on the count.
pub async fn count_active(tx: &mut WriteTx, agent: Id) -> Result<ActiveCounts, StoreError> {
    const SQL: &str = "SELECT CAST((SELECT COUNT(*) FROM schedules \
        WHERE workspace_id = $1 AND agent_id = $2 AND status = 'active') AS BIGINT) AS of_agent, \
        CAST((SELECT COUNT(*) FROM schedules \
        WHERE workspace_id = $1 AND kind = 'recurring' AND status = 'active') AS BIGINT) AS recurring";
    tx.lock("schedules").await?;
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(agent).fetch_one(c).await)
}

pub async fn insert(tx: &mut WriteTx, row: &ScheduleRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO schedules (workspace_id, id, kind, description, due, timezone, agent_id, status, \
        max_runs, runs, next_at, last_at, version, created_by, created_at, updated_at, caller) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.kind)
        .bind(&row.description).bind(&row.due).bind(&row.timezone).bind(row.agent_id).bind(&row.status)
        .bind(row.max_runs).bind(row.runs).bind(row.next_at).bind(row.last_at).bind(row.version)
        .bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .bind(&row.caller).execute(c).await.map(|_| ()))
}

/// A schedule that is due, with its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct DueSchedule {
    pub workspace_id: Id,
    #[sqlx(flatten)]
    pub schedule: ScheduleRow,
}

/// Returns at most `limit` due schedules of all workspaces, the longest overdue first, and locks their rows
/// until the transaction ends; skips rows that another transaction has locked.
pub async fn claim(tx: &mut WriteTx, now: Ts, limit: i64) -> Result<Vec<DueSchedule>, StoreError> {
    let now = now.as_micros();
    let sql = locked!(tx, select!(schedules "s." " FROM schedules s JOIN workspaces w \
        ON w.id = s.workspace_id WHERE s.status = 'active' AND s.next_at <= $1 AND w.deleted_at IS NULL \
        ORDER BY s.next_at, s.id LIMIT $2") => " FOR UPDATE OF s SKIP LOCKED");
    with_backend!(tx, c => sqlx::query_as(sql).bind(now).bind(limit).fetch_all(c).await)
}

/// Stores the state of a schedule after it was due.
pub async fn fired(tx: &mut WriteTx, row: &ScheduleRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE schedules SET status = $3, runs = $4, next_at = $5, last_at = $6 \
        WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.status)
        .bind(row.runs).bind(row.next_at).bind(row.last_at).execute(c).await.map(|_| ()))
}

/// Cancels a schedule that is active or paused. Returns `false` if there is no such schedule.
pub async fn cancel(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE schedules SET status = 'cancelled', next_at = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND status IN ('active', 'paused')";
    Ok(tx.execute_at(SQL, id, at).await? == 1)
}

/// Ends a schedule that can't be carried out any more as failed.
pub async fn fail(tx: &mut WriteTx, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE schedules SET status = 'failed', next_at = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND status IN ('active', 'paused')";
    tx.execute_at(SQL, id, at).await?;
    Ok(())
}

/// Locks a schedule until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<(), StoreError> {
    const SQL: &str = "SELECT 1 FROM schedules WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE";
    tx.lock_rows(SQL, id).await
}
