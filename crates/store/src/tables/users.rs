//! The table `users`: maps the (issuer, subject) of people's tokens to ids.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts, derived_id};

use crate::backend::{Db, StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct UserRow {
    pub id: Id,
    /// The issuer of the user's tokens.
    pub issuer: String,
    /// The subject of the user's tokens.
    pub subject: String,
    pub display_name: Option<String>,
    /// When the user was first seen.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// Returns the id of a person for whom no row exists. It is derived from issuer and subject, so that it is
/// unique and stable. A row that is inserted later gets the same id.
pub fn id_of(issuer: &str, subject: &str) -> Id {
    derived_id(&[b"user", issuer.as_bytes(), subject.as_bytes()])
}

pub async fn find(db: &Db, issuer: &str, subject: &str) -> Result<Option<Id>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = find_in(&mut tx, issuer, subject).await;
    tx.finish(found).await
}

/// Returns the id of the user (issuer, subject), inside a transaction.
pub async fn find_in(tx: &mut Tx, issuer: &str, subject: &str) -> Result<Option<Id>, StoreError> {
    const SQL: &str = "SELECT id FROM users WHERE issuer = $1 AND subject = $2";
    with_backend!(tx, c => sqlx::query_scalar(SQL).bind(issuer).bind(subject).fetch_optional(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<UserRow>, StoreError> {
    const SQL: &str = select!(users " FROM users WHERE id = $1");
    with_backend!(tx, c => sqlx::query_as(SQL).bind(id).fetch_optional(c).await)
}

/// Inserts a user unless (issuer, subject) exists; returns the id of the stored row.
pub async fn ensure(tx: &mut WriteTx, row: &UserRow) -> Result<Id, StoreError> {
    const SQL: &str = "INSERT INTO users (id, issuer, subject, display_name, created_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (issuer, subject) DO NOTHING";
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.issuer).bind(&row.subject)
        .bind(&row.display_name).bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    find_in(tx, &row.issuer, &row.subject)
        .await?
        .ok_or_else(|| StoreError::Inconsistent("a user that was just added is not there".into()))
}

/// Sets the display name of a user who has none. Returns whether it was set.
pub async fn name_unnamed(tx: &mut WriteTx, id: Id, name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE users SET display_name = $2 WHERE id = $1 AND display_name IS NULL";
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(id).bind(name).execute(c).await
        .map(|done| done.rows_affected()))?
        == 1)
}
