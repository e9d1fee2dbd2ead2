//! Schedules: what is to be done later, once or again and again.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A schedule as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ScheduleRow {
    /// Its id.
    pub id: Id,
    /// `one_shot` or `recurring`.
    pub kind: String,
    /// What is to be done.
    pub description: String,
    /// An RFC 3339 time, or a cron expression of five fields.
    pub due: String,
    /// The time zone of the cron expression.
    pub timezone: String,
    /// Who does it.
    pub agent_id: Id,
    /// The agent's name; absent where it is gone.
    #[sqlx(default)]
    pub agent_name: Option<String>,
    /// `active`, `paused`, `completed`, `cancelled` or `failed`.
    pub status: String,
    /// After how many times it is completed.
    pub max_runs: Option<i64>,
    /// How many times it was due.
    pub runs: i64,
    /// When it is due next, in microseconds.
    pub next_at: Option<i64>,
    /// When it was last due, in microseconds.
    pub last_at: Option<i64>,
    /// Counts its changes.
    pub version: i64,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// How many schedules are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct ActiveCounts {
    /// Of one agent, of either kind.
    pub of_agent: i64,
    /// Recurring ones in the workspace.
    pub recurring: i64,
}

/// Schedules, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    agent: Option<Id>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ScheduleRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM schedules s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND ($2 IS NULL OR s.status = $2) AND ($3 IS NULL OR s.agent_id = $3) \
        AND (s.created_at, s.id) < ($4, $5) ORDER BY s.created_at DESC, s.id DESC LIMIT $6";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(status).bind(agent).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)?,
    )
}

/// One schedule by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ScheduleRow>, StoreError> {
    const SQL: &str = "SELECT s.*, a.name AS agent_name FROM schedules s \
        LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id \
        WHERE s.workspace_id = $1 AND s.id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// How many schedules are active. Until this transaction ends, no other one of the workspace counts: what is added
/// after counting stays below a cap.
pub async fn count_active(tx: &mut WriteTx, agent: Id) -> Result<ActiveCounts, StoreError> {
    const SQL: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN agent_id = $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS of_agent, \
        CAST(COALESCE(SUM(CASE WHEN kind = 'recurring' THEN 1 ELSE 0 END), 0) AS BIGINT) AS recurring \
        FROM schedules WHERE workspace_id = $1 AND status = 'active'";
    let workspace = tx.workspace;
    // SQLite has one writer anyway.
    per_backend!(tx,
        sqlite _c => Ok(()),
        pg c => sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('schedules:' || CAST($1 AS TEXT), 0))")
            .bind(workspace).execute(c).await.map(|_| ()),
    )?;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(agent).fetch_one(c).await)?)
}

/// Adds a schedule.
pub async fn insert(tx: &mut WriteTx, row: &ScheduleRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO schedules (workspace_id, id, kind, description, due, timezone, agent_id, status, \
        max_runs, runs, next_at, last_at, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.kind).bind(&row.description).bind(&row.due)
        .bind(&row.timezone).bind(row.agent_id).bind(&row.status).bind(row.max_runs).bind(row.runs).bind(row.next_at)
        .bind(row.last_at).bind(row.version).bind(row.created_by).bind(row.created_at.as_micros())
        .bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// A schedule that is due, with its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct DueSchedule {
    /// Where it belongs.
    pub workspace_id: Id,
    /// The schedule.
    #[sqlx(flatten)]
    pub schedule: ScheduleRow,
}

/// Schedules of all workspaces that are due, the longest first; at most `limit`. They are this transaction's until it
/// ends: another process is given others.
pub async fn claim(tx: &mut WriteTx, now: Ts, limit: i64) -> Result<Vec<DueSchedule>, StoreError> {
    const SQLITE: &str = "SELECT s.* FROM schedules s JOIN workspaces w ON w.id = s.workspace_id \
        WHERE s.status = 'active' AND s.next_at <= $1 AND w.deleted_at IS NULL ORDER BY s.next_at, s.id LIMIT $2";
    const PG: &str = "SELECT s.* FROM schedules s JOIN workspaces w ON w.id = s.workspace_id \
        WHERE s.status = 'active' AND s.next_at <= $1 AND w.deleted_at IS NULL ORDER BY s.next_at, s.id LIMIT $2 \
        FOR UPDATE OF s SKIP LOCKED";
    let now = now.as_micros();
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(now).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(now).bind(limit).fetch_all(c).await,
    )?)
}

/// Stores that a schedule was due, and what comes next.
pub async fn fired(tx: &mut WriteTx, row: &ScheduleRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE schedules SET status = $3, runs = $4, next_at = $5, last_at = $6 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.status).bind(row.runs).bind(row.next_at)
        .bind(row.last_at).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Ends a schedule that is active or paused; `false` where there is none.
pub async fn cancel(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE schedules SET status = 'cancelled', next_at = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND status IN ('active', 'paused')";
    let workspace = tx.workspace;
    let done = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(done == 1)
}
