//! Heartbeats: at which times an agent runs without being called, and those that took place, as the runtimes reported
//! them.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{StoreError, Tx, WriteTx},
    tables::agents,
};

/// A heartbeat that is due, with its workspace and agent's name.
#[derive(Clone, Debug, FromRow)]
pub struct DueHeartbeat {
    pub workspace_id: Id,
    pub agent_name: String,
    #[sqlx(flatten)]
    pub heartbeat: HeartbeatRow,
}

/// A row of `heartbeats`: the settings of one agent's heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct HeartbeatRow {
    pub agent_id: Id,
    pub enabled: bool,
    pub interval_minutes: i64,
    pub prompt: Option<String>,
    /// A JSON object with start, end and time zone.
    pub active_hours: Option<String>,
    /// `silent`, `notify` or `act`.
    pub mode: String,
    /// When the heartbeat is next due, in microseconds; absent while it is off.
    pub next_due_at: Option<i64>,
    /// The stored caller who made these settings. The assistant runs the heartbeat as them.
    pub caller: Option<String>,
    /// The user who made these settings.
    pub set_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

pub async fn get(tx: &mut Tx, agent: Id) -> Result<Option<HeartbeatRow>, StoreError> {
    const SQL: &str = select!(heartbeats " FROM heartbeats WHERE workspace_id = $1 AND agent_id = $2");
    tx.find(SQL, agent).await
}

/// Inserts or replaces the heartbeat of an agent.
pub async fn put(tx: &mut WriteTx, row: &HeartbeatRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO heartbeats (workspace_id, agent_id, enabled, interval_minutes, prompt, active_hours, \
        mode, next_due_at, updated_at, caller, set_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (workspace_id, agent_id) DO UPDATE SET enabled = excluded.enabled, \
        interval_minutes = excluded.interval_minutes, prompt = excluded.prompt, active_hours = excluded.active_hours, \
        mode = excluded.mode, next_due_at = excluded.next_due_at, updated_at = excluded.updated_at, \
        caller = excluded.caller, set_by = excluded.set_by";
    agents::lock_all(tx, &[row.agent_id]).await?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.agent_id)
        .bind(row.enabled).bind(row.interval_minutes).bind(&row.prompt).bind(&row.active_hours)
        .bind(&row.mode).bind(row.next_due_at).bind(row.updated_at.as_micros()).bind(&row.caller).bind(row.set_by)
        .execute(c).await.map(|_| ()))
}

/// Returns at most `limit` due heartbeats of all workspaces, the longest overdue first, and locks their rows
/// until the transaction ends; skips rows that another transaction has locked. Heartbeats of inactive agents
/// are not due.
pub async fn claim(tx: &mut WriteTx, now: Ts, limit: i64) -> Result<Vec<DueHeartbeat>, StoreError> {
    let now = now.as_micros();
    let sql = locked!(tx, select!(heartbeats "h." ", a.name AS agent_name FROM heartbeats h \
        JOIN agents a ON a.workspace_id = h.workspace_id AND a.id = h.agent_id \
        JOIN workspaces w ON w.id = h.workspace_id \
        WHERE h.enabled AND h.next_due_at <= $1 AND a.status = 'active' AND w.deleted_at IS NULL \
        ORDER BY h.next_due_at, h.agent_id LIMIT $2") => " FOR UPDATE OF h SKIP LOCKED");
    with_backend!(tx, c => sqlx::query_as(sql).bind(now).bind(limit).fetch_all(c).await)
}

/// Locks the heartbeat of an agent until the transaction ends.
pub async fn lock(tx: &mut WriteTx, agent: Id) -> Result<(), StoreError> {
    const SQL: &str = "SELECT 1 FROM heartbeats WHERE workspace_id = $1 AND agent_id = $2 FOR NO KEY UPDATE";
    tx.lock_rows(SQL, agent).await
}

/// Switches an agent's heartbeat off.
pub async fn switch_off(tx: &mut WriteTx, agent: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE heartbeats SET enabled = FALSE, next_due_at = NULL, updated_at = $3 \
        WHERE workspace_id = $1 AND agent_id = $2";
    agents::lock_all(tx, &[agent]).await?;
    tx.execute_at(SQL, agent, at).await?;
    Ok(())
}

/// Stores when an agent's heartbeat is next due.
pub async fn set_next(tx: &mut WriteTx, agent: Id, next: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE heartbeats SET next_due_at = $3 WHERE workspace_id = $1 AND agent_id = $2";
    tx.execute_at(SQL, agent, next).await?;
    Ok(())
}

/// A row of `heartbeat_runs`: one heartbeat that took place.
#[derive(Clone, Debug)]
pub struct HeartbeatRunRow {
    /// The id, assigned by the reporter.
    pub id: Id,
    /// When the heartbeat took place.
    pub occurred_at: Ts,
    pub agent_id: Id,
    /// `ok`, `acted` or `failed`.
    pub status: String,
    /// The reporter's note.
    pub note: Option<String>,
}

/// Inserts a heartbeat that took place. Returns `false` if this id was reported before.
pub async fn insert_run(tx: &mut WriteTx, row: &HeartbeatRunRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO heartbeat_runs (workspace_id, id, occurred_at, agent_id, status, note) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, id) DO NOTHING";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.occurred_at.as_micros()).bind(row.agent_id).bind(&row.status).bind(&row.note)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
