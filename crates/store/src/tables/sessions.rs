//! The tables `sessions`, of people who are signed in to the console, and `used_login_codes`. Their rows
//! belong to no workspace.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct SessionRow {
    /// SHA-256 of the secret in the cookie.
    pub id_hash: Vec<u8>,
    pub issuer: String,
    /// The issuer's id of the user.
    pub subject: String,
    /// The workspace claim of the token that signed in.
    pub workspace: Option<String>,
    /// The user's name, as it was at the sign-in.
    pub name: Option<String>,
    /// Whether the token that signed in made the user a system admin.
    pub system_admin: bool,
    /// How the user signed in: `token`, `link` or `oidc`.
    pub way: String,
    /// When the user signed in.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When the session was last used, to a minute.
    #[sqlx(try_from = "i64")]
    pub used_at: Ts,
    /// When the session ends, however often it is used.
    #[sqlx(try_from = "i64")]
    pub ends_at: Ts,
}

/// A one-time code that is used to sign in.
#[derive(Clone, Debug)]
pub struct LoginCode {
    pub jti: String,
    /// When it expires. Its row can be deleted then.
    pub expires_at: Ts,
}

/// Returns the session with this hash, whether it has ended or not.
pub async fn find(db: &Db, id_hash: &[u8; 32]) -> Result<Option<SessionRow>, StoreError> {
    const SQL: &str = select!(sessions " FROM sessions WHERE id_hash = $1");
    let mut tx = db.read(Id::nil()).await?;
    let found = with_backend!(tx, c => sqlx::query_as(SQL).bind(id_hash.as_slice()).fetch_optional(c).await);
    tx.finish(found).await
}

pub async fn insert(tx: &mut WriteTx, row: &SessionRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO sessions (id_hash, issuer, subject, workspace, name, system_admin, way, \
        created_at, used_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    with_backend!(tx, c => sqlx::query(SQL).bind(&row.id_hash).bind(&row.issuer).bind(&row.subject)
        .bind(&row.workspace).bind(&row.name).bind(row.system_admin).bind(&row.way)
        .bind(row.created_at.as_micros()).bind(row.used_at.as_micros()).bind(row.ends_at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Records a code as used. Returns `false` if it was used before.
pub async fn use_code(tx: &mut WriteTx, code: &LoginCode) -> Result<bool, StoreError> {
    const SQL: &str =
        "INSERT INTO used_login_codes (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING";
    let added = with_backend!(tx, c => sqlx::query(SQL).bind(&code.jti).bind(code.expires_at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(added == 1)
}

/// Sets when a session was last used.
pub async fn touch(tx: &mut WriteTx, id_hash: &[u8], at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE sessions SET used_at = $2 WHERE id_hash = $1 AND used_at < $2";
    with_backend!(tx, c => sqlx::query(SQL).bind(id_hash).bind(at.as_micros()).execute(c).await
        .map(|_| ()))
}

pub async fn delete(tx: &mut WriteTx, id_hash: &[u8]) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM sessions WHERE id_hash = $1";
    with_backend!(tx, c => sqlx::query(SQL).bind(id_hash).execute(c).await.map(|_| ()))
}

/// Deletes all sessions of a user and returns their number.
pub async fn delete_of_user(tx: &mut WriteTx, issuer: &str, subject: &str) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM sessions WHERE issuer = $1 AND subject = $2";
    with_backend!(tx, c => sqlx::query(SQL).bind(issuer).bind(subject).execute(c).await
        .map(|done| done.rows_affected()))
}

/// Deletes all sessions and returns their number.
pub async fn delete_all(tx: &mut WriteTx) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM sessions";
    with_backend!(tx, c => sqlx::query(SQL).execute(c).await.map(|done| done.rows_affected()))
}

/// Deletes sessions that ended and used codes that expired before `before`, and returns their number. For
/// workers.
pub async fn delete_ended(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SESSIONS: &str = "DELETE FROM sessions WHERE ends_at < $1";
    const CODES: &str = "DELETE FROM used_login_codes WHERE expires_at < $1";
    let mut removed = 0;
    for sql in [SESSIONS, CODES] {
        removed += with_backend!(tx, c => sqlx::query(sql).bind(before.as_micros()).execute(c).await
            .map(|done| done.rows_affected()))?;
    }
    Ok(removed)
}
