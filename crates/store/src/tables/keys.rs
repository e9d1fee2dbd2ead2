//! Agent keys and service keys. The secret itself is never stored.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{StoreError, Tx, WriteTx},
    tables::agents,
};

/// A key.
#[derive(Clone, Debug, FromRow)]
pub struct KeyRow {
    /// The workspace it was made in.
    pub workspace_id: Id,
    /// Its id, which is part of the secret's text.
    pub id: Id,
    /// `agent` or `service`.
    pub kind: String,
    /// What people call it.
    pub name: String,
    /// SHA-256 of the secret bytes.
    pub secret_hash: Vec<u8>,
    /// The agent that holds it.
    pub agent_id: Option<Id>,
    /// The member whose role bounds the agent.
    pub runs_as: Option<Id>,
    /// The mission that the agent works in.
    pub mission_id: Option<Id>,
    /// The role of a service key.
    pub role: Option<String>,
    /// A JSON list of scopes.
    pub scopes: String,
    /// A JSON list of caller types; the first is the default.
    pub caller_types: String,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it ends, in microseconds.
    pub expires_at: Option<i64>,
    /// When it was revoked, in microseconds.
    pub revoked_at: Option<i64>,
    /// When it was last used, in microseconds, to the minute.
    pub last_used_at: Option<i64>,
    /// The key that made it: revoked with it.
    pub parent_id: Option<Id>,
    /// SHA-256 of the secret that it had before it was adopted.
    pub old_secret_hash: Option<Vec<u8>>,
    /// When that secret ends, in microseconds.
    pub old_secret_until: Option<i64>,
}

/// One key of this workspace.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<KeyRow>, StoreError> {
    const SQL: &str = "SELECT * FROM keys WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Adds a key.
pub async fn insert(tx: &mut WriteTx, row: &KeyRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO keys (workspace_id, id, kind, name, secret_hash, agent_id, runs_as, mission_id, role, \
        scopes, caller_types, created_by, created_at, expires_at, parent_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.kind).bind(&row.name).bind(&row.secret_hash)
        .bind(row.agent_id).bind(row.runs_as).bind(row.mission_id).bind(&row.role).bind(&row.scopes)
        .bind(&row.caller_types).bind(row.created_by).bind(row.created_at.as_micros()).bind(row.expires_at)
        .bind(row.parent_id).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Revokes a key, and with it the keys that it made; `false` where none of them is still good.
pub async fn revoke(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE keys SET revoked_at = $3 WHERE workspace_id = $1 AND (id = $2 OR parent_id = $2) \
        AND revoked_at IS NULL";
    let workspace = tx.workspace;
    let done = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

/// Takes a key from the key that made it and, with a new secret, keeps the one of before until `old_until`, in
/// microseconds.
pub async fn adopt(tx: &mut WriteTx, id: Id, new_secret: Option<(&[u8], i64)>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET parent_id = NULL, \
        old_secret_hash = CASE WHEN $3 IS NULL THEN old_secret_hash ELSE secret_hash END, \
        old_secret_until = COALESCE($4, old_secret_until), secret_hash = COALESCE($3, secret_hash) \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let (hash, until) = new_secret.unzip();
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(hash).bind(until).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Ends the keys that a key made at `until`, in microseconds, where they would live longer.
pub async fn end_children(tx: &mut WriteTx, parent: Id, until: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET expires_at = $3 WHERE workspace_id = $1 AND parent_id = $2 \
        AND (expires_at IS NULL OR expires_at > $3)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(parent).bind(until).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Notes that a key was used, and with it the agent whose key it is: the agent first, see [`agents::hold`].
pub async fn touch(tx: &mut WriteTx, id: Id, agent: Option<Id>, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2";
    if let Some(agent) = agent {
        agents::was_active(tx, agent, at).await?;
    }
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// A key of whoever operates the platform; it belongs to no workspace.
#[derive(Clone, Debug, FromRow)]
pub struct OperatorKeyRow {
    /// Its id, which is part of the secret's text.
    pub id: Id,
    /// What people call it.
    pub name: String,
    /// SHA-256 of the secret bytes.
    pub secret_hash: Vec<u8>,
    /// A JSON list of scopes.
    pub scopes: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it ends, in microseconds.
    pub expires_at: Option<i64>,
    /// When it was revoked, in microseconds.
    pub revoked_at: Option<i64>,
}

/// An operator key by its id.
pub(crate) async fn operator_by_id(tx: &mut Tx, id: Id) -> Result<Option<OperatorKeyRow>, StoreError> {
    const SQL: &str = "SELECT * FROM operator_keys WHERE id = $1";
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
}

/// Adds an operator key. On PostgreSQL this is for the schema's owner: requests run as a role that may not.
pub async fn insert_operator(tx: &mut WriteTx, row: &OperatorKeyRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO operator_keys (id, name, secret_hash, scopes, created_at, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.name).bind(&row.secret_hash).bind(&row.scopes)
        .bind(row.created_at.as_micros()).bind(row.expires_at).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// The most keys that a workspace may have at a time, of those that are neither revoked nor expired.
pub const MAX_ACTIVE: i64 = 1_000;

/// Whether this workspace may have one more key at `now`: it has fewer than [`MAX_ACTIVE`].
pub async fn has_room(tx: &mut Tx, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM keys WHERE workspace_id = $1 AND revoked_at IS NULL \
        AND (expires_at IS NULL OR expires_at > $2)";
    let (workspace, now) = (tx.workspace, now.as_micros());
    let active: i64 =
        with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(now).fetch_one(c).await)?;
    Ok(active < MAX_ACTIVE)
}
