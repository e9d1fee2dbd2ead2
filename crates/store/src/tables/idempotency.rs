//! The table `idempotency`: stored responses by idempotency key.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// The stored response of a key.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Row {
    /// SHA-256 of the canonical arguments: a key is valid for one call.
    pub arguments_digest: String,
    /// The HTTP status of the stored response; absent if the confirmation holds the response, or if the call was begun
    /// and has no response yet.
    pub status: Option<i64>,
    /// The body of the stored response, as JSON text without secrets.
    pub body: Option<String>,
    /// The confirmation that the call waits for.
    pub confirmation_id: Option<Id>,
}

/// An idempotency key with its caller and action, in the transaction's workspace.
#[derive(Clone, Copy, Debug)]
pub struct IdempotencyKey<'a> {
    pub principal: Id,
    pub action: &'a str,
    pub key: &'a str,
}

/// Returns the row of a key if it has not expired at `now`.
pub async fn find(tx: &mut Tx, slot: IdempotencyKey<'_>, now: Ts) -> Result<Option<Row>, StoreError> {
    const SQL: &str = "SELECT arguments_digest, status, body, confirmation_id FROM idempotency \
        WHERE workspace_id = $1 AND principal_id = $2 AND action = $3 AND key = $4 AND expires_at > $5";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(slot.principal)
        .bind(slot.action).bind(slot.key).bind(now.as_micros()).fetch_optional(c).await)
}

/// Stores a key's row until `expires_at`; replaces an expired row. Fails with [`StoreError::Duplicate`] if a
/// row exists that has not expired. Of two concurrent inserts, the second one waits for the first transaction
/// and then fails in this way.
pub async fn insert(
    tx: &mut WriteTx,
    slot: IdempotencyKey<'_>,
    row: &Row,
    now: Ts,
    expires_at: Ts,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO idempotency (workspace_id, principal_id, action, key, arguments_digest, status, \
        body, confirmation_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
        ON CONFLICT (workspace_id, principal_id, action, key) DO UPDATE SET \
        arguments_digest = excluded.arguments_digest, status = excluded.status, body = excluded.body, \
        confirmation_id = excluded.confirmation_id, created_at = excluded.created_at, \
        expires_at = excluded.expires_at WHERE idempotency.expires_at <= excluded.created_at";
    let stored = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(slot.principal)
        .bind(slot.action).bind(slot.key)
        .bind(&row.arguments_digest).bind(row.status).bind(&row.body).bind(row.confirmation_id)
        .bind(now.as_micros()).bind(expires_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    if stored == 1 { Ok(()) } else { Err(StoreError::Duplicate) }
}

/// Stores the response of a key whose call was begun and has no response yet.
pub async fn complete(
    tx: &mut WriteTx,
    slot: IdempotencyKey<'_>,
    status: u16,
    body: &str,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE idempotency SET status = $5, body = $6 WHERE workspace_id = $1 AND principal_id = $2 \
        AND action = $3 AND key = $4 AND status IS NULL AND confirmation_id IS NULL";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(slot.principal)
        .bind(slot.action).bind(slot.key).bind(i64::from(status)).bind(body).execute(c).await
        .map(|_| ()))
}

/// Deletes the row of a key whose call was begun and had no effect, so that a repeated call runs.
pub async fn release(tx: &mut WriteTx, slot: IdempotencyKey<'_>) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM idempotency WHERE workspace_id = $1 AND principal_id = $2 AND action = $3 \
        AND key = $4 AND status IS NULL AND confirmation_id IS NULL";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(slot.principal)
        .bind(slot.action).bind(slot.key).execute(c).await.map(|_| ()))
}

/// Deletes a batch of rows that expired before `now`, in all workspaces, and returns their number. For a background
/// worker.
pub async fn delete_expired(tx: &mut WriteTx, now: Ts) -> Result<u64, StoreError> {
    // The time is read again of a row for which the statement waited: a call may have taken the key anew.
    const SQL: &str = "DELETE FROM idempotency WHERE (workspace_id, principal_id, action, key) IN \
        (SELECT workspace_id, principal_id, action, key FROM idempotency WHERE expires_at <= $1 LIMIT 2000) \
        AND expires_at <= $1";
    with_backend!(tx, c => sqlx::query(SQL).bind(now.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))
}
