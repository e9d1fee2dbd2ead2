//! Webhooks: where a workspace's events are sent. The secrets that sign are stored encrypted, and read by nobody but
//! the worker that sends.
//!
//! [`deliveries`] is what people see of the sending, [`work`] what the worker does.

pub mod deliveries;
pub mod work;

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A webhook, without what signs.
#[derive(Clone, Debug, FromRow)]
pub struct WebhookRow {
    /// Its id.
    pub id: Id,
    /// Where events are sent.
    pub url: String,
    /// Which events, as a JSON list.
    pub types: String,
    /// A disabled one is sent nothing.
    pub enabled: bool,
    /// How far the outbox was read for it.
    #[sqlx(rename = "place")]
    pub offset: i64,
    /// What happened before is not sent.
    #[sqlx(try_from = "i64")]
    pub since: Ts,
    /// Until when the secret before the last signs too, in microseconds.
    pub previous_until: Option<i64>,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it was last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// What signs, encrypted.
#[derive(Clone, Debug, FromRow)]
pub struct EncryptedSecret {
    /// The secret that counts.
    pub secret_encrypted: String,
    /// The one before.
    pub previous_encrypted: Option<String>,
    /// Until when that one signs too, in microseconds.
    pub previous_until: Option<i64>,
}

/// The columns of a [`WebhookRow`]: never the secrets.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, url, types, enabled, place, since, previous_until, created_by, created_at, updated_at \
             FROM webhooks WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Webhooks, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<WebhookRow>, StoreError> {
    const SQL: &str = columns!("AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit)
        .fetch_all(c).await)?,
    )
}

/// One webhook.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<WebhookRow>, StoreError> {
    const SQL: &str = columns!("AND id = $2");
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// How many the workspace has. Held until the transaction ends: two that add one at the same time are counted one
/// after the other.
pub async fn count(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM webhooks WHERE workspace_id = $1";
    let workspace = tx.workspace;
    // SQLite has one writer anyway.
    per_backend!(tx,
        sqlite _c => Ok(()),
        pg c => sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || CAST($1 AS TEXT), 0))")
            .bind(workspace).execute(c).await.map(|_| ()),
    )?;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)?)
}

/// What signs for a webhook, encrypted.
pub async fn sealed(tx: &mut Tx, id: Id) -> Result<Option<EncryptedSecret>, StoreError> {
    const SQL: &str = "SELECT secret_encrypted, previous_encrypted, previous_until FROM webhooks \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Adds a webhook.
pub async fn insert(tx: &mut WriteTx, row: &WebhookRow, secret_encrypted: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO webhooks (workspace_id, id, url, types, enabled, place, since, secret_encrypted, \
        created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $10, $7, $8, $9, $9)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.url).bind(&row.types).bind(row.enabled)
        .bind(row.offset).bind(secret_encrypted).bind(row.created_by).bind(row.created_at.as_micros())
        .bind(row.since.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores address, types, whether it is enabled, and how far the outbox was read for it.
pub async fn update(tx: &mut WriteTx, row: &WebhookRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET url = $3, types = $4, enabled = $5, place = $6, updated_at = $7, since = $8 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.url).bind(&row.types).bind(row.enabled)
        .bind(row.offset).bind(row.updated_at.as_micros()).bind(row.since.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores a new secret; the one before signs too until `until`.
pub async fn rotate(
    tx: &mut WriteTx,
    id: Id,
    secret_encrypted: &str,
    until: Ts,
    at: Ts,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET previous_encrypted = secret_encrypted, secret_encrypted = $3, \
        previous_until = $4, updated_at = $5 WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(secret_encrypted).bind(until.as_micros())
        .bind(at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Removes a webhook with everything that was or was to be sent to it; `false` where it is gone already.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const DELIVERIES: &str = "DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2";
    const SQL: &str = "DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    // The webhook first: whoever is spreading events to it ends before, or finds none.
    let gone = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).execute(c).await.map(|d| d.rows_affected()))?;
    with_backend!(tx, c => sqlx::query(DELIVERIES).bind(workspace).bind(id).execute(c).await.map(|_| ()))?;
    Ok(gone == 1)
}
