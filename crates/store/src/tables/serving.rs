//! The table `serving`: whether the database may be served. Its row is missing in a database that was put back from a
//! backup.

use sqlx::FromRow;
use toolcrib_model::{Id, ServingState, Ts};

use crate::backend::{Db, StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct ServingRow {
    #[sqlx(try_from = "String")]
    pub state: ServingState,
    #[sqlx(try_from = "i64")]
    pub changed_at: Ts,
    /// The heads of the audit logs in the backup, as JSON. Absent unless the state is `restored`.
    pub heads: Option<String>,
}

/// Returns the row; `None` if the database was put back from a backup and `toolcrib restore` did not run on it.
pub async fn get(tx: &mut Tx) -> Result<Option<ServingRow>, StoreError> {
    const SQL: &str = "SELECT state, changed_at, heads FROM serving WHERE id = 1";
    with_backend!(tx, c => sqlx::query_as(SQL).fetch_optional(c).await)
}

/// Reads the state in a transaction of its own.
pub async fn state(db: &Db) -> Result<Option<ServingState>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let row = get(&mut tx).await?;
    tx.end().await?;
    Ok(row.map(|row| row.state))
}

/// Sets the row. Needs a transaction of the schema's owner.
pub async fn set(tx: &mut WriteTx, row: &ServingRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO serving (id, state, changed_at, heads) VALUES (1, $1, $2, $3) \
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at, heads = excluded.heads";
    with_backend!(tx, c => sqlx::query(SQL).bind(row.state.as_str()).bind(row.changed_at.as_micros())
        .bind(&row.heads).execute(c).await.map(|_| ()))
}
