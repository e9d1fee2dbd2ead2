//! Playbooks, their schedule and their steps.

mod due;
mod steps;

pub use due::{DuePlaybook, claim, set_next_run};
pub use steps::{StepRow, replace_steps, steps};

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts, name_key};

use crate::backend::{StoreError, Tx, WriteTx};

/// A playbook as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct PlaybookRow {
    /// Its id.
    pub id: Id,
    /// Unique in the workspace, without regard to case.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// A JSON list of words.
    pub tags: String,
    /// `active` or `inactive`.
    pub status: String,
    /// When it runs by itself, with the time zone.
    pub cron: Option<String>,
    /// The time zone of that.
    pub timezone: Option<String>,
    /// When it runs next, in microseconds; `None` without a schedule or while it is inactive.
    pub next_run_at: Option<i64>,
    /// How often a step is tried again.
    pub max_retries: i64,
    /// How long a step may take, in seconds.
    pub step_timeout_s: i64,
    /// Counts its changes, those of its steps included.
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

/// A playbook with what its runs came to.
#[derive(Clone, Debug, FromRow)]
pub struct PlaybookStats {
    /// The playbook.
    #[sqlx(flatten)]
    pub playbook: PlaybookRow,
    /// How many steps it has.
    pub step_count: i64,
    /// Runs that completed.
    pub completed: i64,
    /// Runs that failed.
    pub failed: i64,
    /// When it was last asked to run, in microseconds.
    pub last_run_at: Option<i64>,
    /// How that run stands.
    pub last_run_status: Option<String>,
}

/// Playbooks with their runs, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<PlaybookStats>, StoreError> {
    const SQL: &str = "SELECT p.*, \
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
        FROM playbooks p WHERE p.workspace_id = $1 AND ($2 IS NULL OR p.status = $2) \
        AND (p.created_at, p.id) < ($3, $4) ORDER BY p.created_at DESC, p.id DESC LIMIT $5";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(status).bind(cursor.at.as_micros()).bind(cursor.id)
        .bind(limit).fetch_all(c).await)?,
    )
}

/// One playbook by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<PlaybookRow>, StoreError> {
    const SQL: &str = "SELECT * FROM playbooks WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// One playbook by its exact name, in any case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<PlaybookRow>, StoreError> {
    // Names that were stored before names were kept in NFC are found as they were written.
    const SQL: &str = "SELECT * FROM playbooks WHERE workspace_id = $1 AND name_key IN ($2, $3) LIMIT 1";
    let workspace = tx.workspace;
    let (key, written) = (name_key(name), name.to_lowercase());
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).bind(&written).fetch_optional(c).await)?,
    )
}

/// The names of up to 500 playbooks, newest first: near names are looked for among them.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM playbooks WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)?)
}

/// Adds a playbook; [`StoreError::Duplicate`] when its name is taken.
pub async fn insert(tx: &mut WriteTx, row: &PlaybookRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO playbooks (workspace_id, id, name, name_key, description, tags, status, cron, timezone, \
        next_run_at, max_retries, step_timeout_s, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let workspace = tx.workspace;
    let key = name_key(&row.name);
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key).bind(&row.description)
        .bind(&row.tags).bind(&row.status).bind(&row.cron).bind(&row.timezone).bind(row.next_run_at)
        .bind(row.max_retries).bind(row.step_timeout_s).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores the changed fields of a playbook that nobody else changed since it was read, and counts its version up;
/// `false` where somebody did.
pub async fn update(tx: &mut WriteTx, row: &PlaybookRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE playbooks SET name = $4, name_key = $5, description = $6, tags = $7, status = $8, cron = $9, \
        timezone = $10, next_run_at = $11, max_retries = $12, step_timeout_s = $13, updated_at = $14, \
        version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let workspace = tx.workspace;
    let key = name_key(&row.name);
    let changed = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version).bind(&row.name).bind(&key)
        .bind(&row.description).bind(&row.tags).bind(&row.status).bind(&row.cron).bind(&row.timezone)
        .bind(row.next_run_at).bind(row.max_retries).bind(row.step_timeout_s).bind(row.updated_at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Removes a playbook with its steps and schedule; `false` where it is gone already. Its executions stay.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM playbooks WHERE workspace_id = $1 AND id = $2";
    replace_steps(tx, id, &[]).await?;
    let workspace = tx.workspace;
    let gone = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(gone == 1)
}
