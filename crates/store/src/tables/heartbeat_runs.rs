//! Heartbeats that took place, as the runtimes reported them.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, WriteTx};

/// A row of `heartbeat_runs`: one heartbeat that took place.
#[derive(Clone, Debug, FromRow)]
pub struct HeartbeatRunRow {
    /// The id, assigned by the reporter.
    pub id: Id,
    /// When the heartbeat took place.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    pub agent_id: Id,
    /// `ok`, `acted` or `failed`.
    pub status: String,
    /// The reporter's note.
    pub note: Option<String>,
}

/// Inserts a heartbeat. Returns `false` if this id was reported before.
pub async fn insert(tx: &mut WriteTx, row: &HeartbeatRunRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO heartbeat_runs (workspace_id, id, occurred_at, agent_id, status, note) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, id) DO NOTHING";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.occurred_at.as_micros()).bind(row.agent_id).bind(&row.status).bind(&row.note)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
