//! People: (issuer, subject) of their tokens, mapped to our id.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts, derived_id};

use crate::backend::{Db, StoreError, Tx, WriteTx};

/// A person.
#[derive(Clone, Debug, FromRow)]
pub struct UserRow {
    /// Our id.
    pub id: Id,
    /// Who issued their tokens.
    pub issuer: String,
    /// Who they are to that issuer.
    pub subject: String,
    /// What they are called.
    pub display_name: Option<String>,
    /// When we first heard of them.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// The id of a person of whom we have no row: made of issuer and subject, so that it is theirs alone and stays theirs. A
/// row that is made later takes it.
pub fn id_of(issuer: &str, subject: &str) -> Id {
    derived_id(&[b"user", issuer.as_bytes(), subject.as_bytes()])
}

/// Our id of (issuer, subject).
pub async fn find(db: &Db, issuer: &str, subject: &str) -> Result<Option<Id>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = find_in(&mut tx, issuer, subject).await?;
    tx.end().await?;
    Ok(found)
}

/// Our id of (issuer, subject), inside a transaction.
pub async fn find_in(tx: &mut Tx, issuer: &str, subject: &str) -> Result<Option<Id>, StoreError> {
    const SQL: &str = "SELECT id FROM users WHERE issuer = $1 AND subject = $2";
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(issuer).bind(subject).fetch_optional(c).await)?)
}

/// One person by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<UserRow>, StoreError> {
    const SQL: &str = "SELECT * FROM users WHERE id = $1";
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
}

/// Adds a person, or finds the one who is there; returns our id.
pub async fn ensure(tx: &mut WriteTx, row: &UserRow) -> Result<Id, StoreError> {
    const SQL: &str = "INSERT INTO users (id, issuer, subject, display_name, created_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (issuer, subject) DO NOTHING";
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.issuer).bind(&row.subject).bind(&row.display_name)
        .bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    find_in(tx, &row.issuer, &row.subject)
        .await?
        .ok_or_else(|| StoreError::Inconsistent("a user that was just added is not there".into()))
}
