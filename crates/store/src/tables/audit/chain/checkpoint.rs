//! Signed checkpoints of the chains. This module stores the signatures and does not verify them.

use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, FromRow};
use toolcrib_model::{Id, Ts};

use super::{PG_HOMES, SQLITE_HOMES};
use crate::backend::{Db, StoreError, Tx, WriteTx};

/// A signed statement that a chain had this hash at this sequence number. Exports and `--audit-anchor` write its fields
/// in this order.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
pub struct Checkpoint {
    pub workspace_id: Id,
    /// The sequence number of the signed link.
    pub seq: i64,
    /// The hash of the signed link.
    pub hash: String,
    /// When the checkpoint was signed.
    #[sqlx(try_from = "i64")]
    pub made_at: Ts,
    pub public_key: String,
    pub signature: String,
}

/// Lists at most `limit` checkpoints of the workspace after the sequence number `after`, in order.
pub async fn checkpoints(tx: &mut Tx, after: i64, limit: i64) -> Result<Vec<Checkpoint>, StoreError> {
    const SQL: &str = "SELECT workspace_id, seq, hash, made_at, public_key, signature FROM audit_checkpoints \
        WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(after).bind(limit)
            .fetch_all(c).await)
}

/// Returns the workspace's last checkpoint.
pub async fn last_checkpoint(tx: &mut Tx) -> Result<Option<Checkpoint>, StoreError> {
    const SQL: &str = "SELECT workspace_id, seq, hash, made_at, public_key, signature FROM audit_checkpoints \
        WHERE workspace_id = $1 ORDER BY seq DESC LIMIT 1";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)
}

/// Returns the last checkpoint of every workspace that has one.
pub async fn last_checkpoints(db: &Db) -> Result<Vec<Checkpoint>, StoreError> {
    const SQL: &str = "SELECT k.workspace_id, k.seq, k.hash, k.made_at, k.public_key, k.signature FROM (SELECT \
        workspace_id, MAX(seq) AS seq FROM audit_checkpoints GROUP BY workspace_id) l JOIN audit_checkpoints k \
        ON k.workspace_id = l.workspace_id AND k.seq = l.seq ORDER BY k.workspace_id";
    let mut tx = db.read_as_worker().await?;
    let found = with_backend!(tx, c => sqlx::query_as(SQL).fetch_all(c).await);
    tx.finish(found).await
}

/// Returns the workspaces whose chain lacks the link of the last checkpoint, or has another hash there: the
/// chain was truncated or changed.
pub async fn cut(db: &Db) -> Result<Vec<Id>, StoreError> {
    const SQL: &str = "SELECT k.workspace_id FROM (SELECT workspace_id, MAX(seq) AS seq FROM audit_checkpoints \
        GROUP BY workspace_id) l JOIN audit_checkpoints k ON k.workspace_id = l.workspace_id AND k.seq = l.seq \
        WHERE NOT EXISTS (SELECT 1 FROM audit_chain c WHERE c.workspace_id = k.workspace_id AND c.seq = k.seq \
        AND c.hash = k.hash) ORDER BY k.workspace_id";
    let mut tx = db.read_as_worker().await?;
    let found = with_backend!(tx, c => sqlx::query_scalar(SQL).fetch_all(c).await);
    tx.finish(found).await
}

/// Returns the workspaces whose chain has links after the last checkpoint.
pub async fn uncovered(db: &Db) -> Result<Vec<Id>, StoreError> {
    const FAR: &str = "(SELECT MAX(c.seq) FROM audit_chain c WHERE c.workspace_id = w.id)";
    const COVERED: &str = "(SELECT MAX(k.seq) FROM audit_checkpoints k WHERE k.workspace_id = w.id)";
    let mut tx = db.read_as_worker().await?;
    let homes = tx.sql(SQLITE_HOMES, PG_HOMES);
    let sql = format!("SELECT w.id FROM ({homes}) w WHERE COALESCE({FAR}, 0) > COALESCE({COVERED}, 0)");
    let found = with_backend!(tx, c => sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(c).await);
    tx.finish(found).await
}

/// Inserts checkpoints of any workspaces. A checkpoint that exists at the same sequence number is not changed.
pub async fn insert_checkpoints(tx: &mut WriteTx, rows: &[Checkpoint]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO audit_checkpoints (workspace_id, seq, hash, made_at, public_key, signature) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    for row in rows {
        with_backend!(tx, c => sqlx::query(SQL).bind(row.workspace_id).bind(row.seq).bind(&row.hash)
            .bind(row.made_at.as_micros()).bind(&row.public_key).bind(&row.signature).execute(c).await
            .map(|_| ()))?;
    }
    Ok(())
}
