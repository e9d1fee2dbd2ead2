//! Agent keys, service keys and operator keys. Stores a hash of each secret, never the secret.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{StoreError, Tx, WriteTx},
    tables::agents,
};

/// A row of `keys`: an agent key or a service key.
#[derive(Clone, Debug, FromRow)]
pub struct KeyRow {
    pub workspace_id: Id,
    /// The key's id, which is part of the secret's text.
    pub id: Id,
    /// `agent` or `service`.
    pub kind: String,
    /// The name, for people.
    pub name: String,
    /// SHA-256 of the secret's bytes.
    pub secret_hash: Vec<u8>,
    /// The agent that uses an agent key.
    pub agent_id: Option<Id>,
    /// The member whose role limits the agent's permissions.
    pub runs_as: Option<Id>,
    pub mission_id: Option<Id>,
    /// The role of a service key.
    pub role: Option<String>,
    /// A JSON list of scopes.
    pub scopes: String,
    /// A JSON list of caller types; the first is the default.
    pub caller_types: String,
    /// The user who created the key.
    pub created_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When the key expires, in microseconds.
    pub expires_at: Option<i64>,
    /// When it was revoked, in microseconds.
    pub revoked_at: Option<i64>,
    /// When the key was last used, in microseconds; updated at most once a minute.
    pub last_used_at: Option<i64>,
    /// The key that created this key. Revoking that key revokes this one too.
    pub parent_id: Option<Id>,
    /// SHA-256 of the secret that [`adopt`] replaced.
    pub old_secret_hash: Option<Vec<u8>>,
    /// When the replaced secret expires, in microseconds.
    pub old_secret_until: Option<i64>,
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<KeyRow>, StoreError> {
    tx.find(by_id!(keys), id).await
}

/// Returns whether a key is neither revoked nor expired at `now`.
pub async fn is_good(tx: &mut Tx, id: Id, now: Ts) -> Result<bool, StoreError> {
    let key = get(tx, id).await?;
    Ok(key.is_some_and(|key| {
        key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now.as_micros())
    }))
}

pub async fn insert(tx: &mut WriteTx, row: &KeyRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO keys (workspace_id, id, kind, name, secret_hash, agent_id, runs_as, mission_id, role, \
        scopes, caller_types, created_by, created_at, expires_at, parent_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.kind)
        .bind(&row.name).bind(&row.secret_hash)
        .bind(row.agent_id).bind(row.runs_as).bind(row.mission_id).bind(&row.role).bind(&row.scopes)
        .bind(&row.caller_types).bind(row.created_by).bind(row.created_at.as_micros()).bind(row.expires_at)
        .bind(row.parent_id).execute(c).await.map(|_| ()))
}

/// Revokes a key and the keys that it created. Returns `false` if all of them were revoked already or none
/// exists.
pub async fn revoke(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE keys SET revoked_at = $3 WHERE workspace_id = $1 AND revoked_at IS NULL \
        AND id IN (SELECT $2 UNION ALL SELECT id FROM keys WHERE workspace_id = $1 AND parent_id = $2)";
    Ok(tx.execute_at(SQL, id, at).await? > 0)
}

/// Detaches a key from the key that created it. `new_secret` also replaces the secret by one with this hash;
/// the replaced secret stays valid until the given time, in microseconds.
pub async fn adopt(tx: &mut WriteTx, id: Id, new_secret: Option<(&[u8], i64)>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET parent_id = NULL, \
        old_secret_hash = CASE WHEN $3 IS NULL THEN old_secret_hash ELSE secret_hash END, \
        old_secret_until = COALESCE($4, old_secret_until), secret_hash = COALESCE($3, secret_hash) \
        WHERE workspace_id = $1 AND id = $2";
    let (hash, until) = new_secret.unzip();
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(hash).bind(until)
        .execute(c).await.map(|_| ()))
}

/// Makes the keys that `parent` created expire at `until`, in microseconds, unless they expire earlier.
pub async fn end_children(tx: &mut WriteTx, parent: Id, until: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET expires_at = $3 WHERE workspace_id = $1 AND parent_id = $2 \
        AND (expires_at IS NULL OR expires_at > $3)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(parent).bind(until)
        .execute(c).await.map(|_| ()))
}

/// Records the use of a key and of its agent. Updates the agent first, in the order that [`agents::lock_all`]
/// prescribes.
pub async fn touch(tx: &mut WriteTx, id: Id, agent: Option<Id>, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE keys SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2";
    if let Some(agent) = agent {
        agents::set_last_active(tx, agent, at).await?;
    }
    tx.execute_at(SQL, id, at).await?;
    Ok(())
}

/// A row of `operator_keys`: a key of the platform's operator, which belongs to no workspace.
#[derive(Clone, Debug, FromRow)]
pub struct OperatorKeyRow {
    /// The key's id, which is part of the secret's text.
    pub id: Id,
    /// The name, for people.
    pub name: String,
    /// SHA-256 of the secret's bytes.
    pub secret_hash: Vec<u8>,
    /// A JSON list of scopes.
    pub scopes: String,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When the key expires, in microseconds.
    pub expires_at: Option<i64>,
    /// When it was revoked, in microseconds.
    pub revoked_at: Option<i64>,
}

pub(crate) async fn operator_by_id(tx: &mut Tx, id: Id) -> Result<Option<OperatorKeyRow>, StoreError> {
    const SQL: &str = select!(operator_keys " FROM operator_keys WHERE id = $1");
    with_backend!(tx, c => sqlx::query_as(SQL).bind(id).fetch_optional(c).await)
}

/// Inserts an operator key. On PostgreSQL only the schema's owner may do this; the role of requests lacks the
/// privilege.
pub async fn insert_operator(tx: &mut WriteTx, row: &OperatorKeyRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO operator_keys (id, name, secret_hash, scopes, created_at, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.name).bind(&row.secret_hash)
        .bind(&row.scopes).bind(row.created_at.as_micros()).bind(row.expires_at).execute(c).await
        .map(|_| ()))
}

/// The maximum number of keys per workspace that are neither revoked nor expired.
pub const MAX_ACTIVE: i64 = 1_000;

/// Whether this workspace has fewer than [`MAX_ACTIVE`] keys that are valid at `now`.
pub async fn has_room(tx: &mut Tx, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM keys WHERE workspace_id = $1 AND revoked_at IS NULL \
        AND (expires_at IS NULL OR expires_at > $2)";
    let (workspace, now) = (tx.workspace, now.as_micros());
    let active: i64 =
        with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(now).fetch_one(c).await)?;
    Ok(active < MAX_ACTIVE)
}
