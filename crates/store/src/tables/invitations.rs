//! The table `invitations`: codes with which people become members. Stores a hash of each code's secret.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{Db, StoreError, Tx, WriteTx};

/// The maximum number of open invitations of a workspace.
pub const MAX_OPEN: i64 = 200;

#[derive(Clone, Debug, FromRow)]
pub struct InvitationRow {
    pub workspace_id: Id,
    pub id: Id,
    /// SHA-256 of the secret in the code.
    pub code_hash: Vec<u8>,
    /// The highest role that it gives.
    pub role: String,
    /// The only e-mail address that may use it.
    pub email: Option<String>,
    /// The caller who made it, as a stored caller; absent for one of the operator.
    pub inviter: Option<String>,
    /// The user of that caller.
    pub invited_by: Option<Id>,
    /// The only issuer whose people may use it. For those of the operator.
    pub issuer: Option<String>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub expires_at: Ts,
    /// The user who became a member by it.
    pub used_by: Option<Id>,
    /// When it was used, in microseconds.
    pub used_at: Option<i64>,
    /// When it was revoked, in microseconds.
    pub revoked_at: Option<i64>,
}

impl InvitationRow {
    /// Returns whether it can still be used at `now`, as far as the row says.
    pub fn is_open(&self, now: Ts) -> bool {
        self.used_at.is_none() && self.revoked_at.is_none() && now < self.expires_at
    }
}

pub async fn insert(tx: &mut WriteTx, row: &InvitationRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO invitations (workspace_id, id, code_hash, role, email, inviter, invited_by, issuer, \
        created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.code_hash)
        .bind(&row.role).bind(&row.email).bind(&row.inviter).bind(row.invited_by).bind(&row.issuer)
        .bind(row.created_at.as_micros()).bind(row.expires_at.as_micros()).execute(c).await.map(|_| ()))
}

/// Lists at most `limit` invitations after `cursor`, newest first. With `open_at`, only those that are open
/// then.
pub async fn list(
    tx: &mut Tx,
    open_at: Option<Ts>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<InvitationRow>, StoreError> {
    const SQL: &str = select!(invitations
        " FROM invitations WHERE workspace_id = $1 AND (created_at, id) < ($3, $4) \
        AND ($2 IS NULL OR (used_at IS NULL AND revoked_at IS NULL AND expires_at > $2)) \
        ORDER BY created_at DESC, id DESC LIMIT $5");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(open_at.map(Ts::as_micros))
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<InvitationRow>, StoreError> {
    tx.find(by_id!(invitations), id).await
}

/// Returns the invitation whose secret has this hash.
pub async fn by_code(tx: &mut Tx, code_hash: &[u8; 32]) -> Result<Option<InvitationRow>, StoreError> {
    const SQL: &str = select!(invitations " FROM invitations WHERE workspace_id = $1 AND code_hash = $2");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(code_hash.as_slice())
        .fetch_optional(c).await)
}

/// Whether this workspace has fewer than [`MAX_OPEN`] invitations that are open at `now`.
pub async fn has_room(tx: &mut Tx, now: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM invitations \
        WHERE workspace_id = $1 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > $2";
    let open: i64 = with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace)
        .bind(now.as_micros()).fetch_one(c).await)?;
    Ok(open < MAX_OPEN)
}

/// Returns the operator's invitations of all workspaces that are open at `now`, at most 100. For operators.
pub async fn open_of_operator(db: &Db, now: Ts) -> Result<Vec<InvitationRow>, StoreError> {
    const SQL: &str = select!(invitations
        " FROM invitations WHERE expires_at > $1 AND used_at IS NULL AND revoked_at IS NULL \
        AND inviter IS NULL ORDER BY workspace_id, id LIMIT 100");
    let mut tx = db.read_as_worker().await?;
    let found = with_backend!(tx, c => sqlx::query_as(SQL).bind(now.as_micros()).fetch_all(c).await);
    tx.finish(found).await
}

/// Uses up an invitation. Returns `false` if it was used or revoked already.
pub async fn use_up(tx: &mut WriteTx, id: Id, user: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE invitations SET used_by = $3, used_at = $4 \
        WHERE workspace_id = $1 AND id = $2 AND used_at IS NULL AND revoked_at IS NULL";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(user)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

/// Revokes an invitation. Returns `false` if it was used or revoked already.
pub async fn revoke(tx: &mut WriteTx, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE invitations SET revoked_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND used_at IS NULL AND revoked_at IS NULL";
    Ok(tx.execute_at(SQL, id, at).await? == 1)
}

/// Revokes the workspace's invitations that can still be used, and returns their number.
pub async fn revoke_open(tx: &mut WriteTx, at: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "UPDATE invitations SET revoked_at = $2 \
        WHERE workspace_id = $1 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?,
    )
}

/// The most rows that one transaction of a worker deletes.
const BATCH: i64 = 2_000;

/// Deletes a batch of invitations that expired before `before`, and returns their number. For workers.
pub async fn delete_ended(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM invitations WHERE (workspace_id, id) IN \
        (SELECT workspace_id, id FROM invitations WHERE expires_at < $1 LIMIT $2)";
    with_backend!(tx, c => sqlx::query(SQL).bind(before.as_micros()).bind(BATCH).execute(c).await
        .map(|done| done.rows_affected()))
}
