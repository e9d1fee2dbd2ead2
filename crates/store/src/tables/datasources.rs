//! Databases that a workspace's admin registered to be queried. What connects to them is stored encrypted, and read
//! by nobody but the query itself.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A registered datasource, without what connects to it.
#[derive(Clone, Debug, FromRow)]
pub struct DatasourceRow {
    /// Its id.
    pub id: Id,
    /// Unique in the workspace, without regard to case.
    pub name: String,
    /// `postgres` or `sqlite`.
    pub kind: String,
    /// Who registered it.
    pub created_by: Option<Id>,
    /// When it was registered.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// The columns of a [`DatasourceRow`]: never the configuration.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, kind, created_by, created_at FROM datasources WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Datasources, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<DatasourceRow>, StoreError> {
    const SQL: &str = columns!("AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit)
        .fetch_all(c).await)?,
    )
}

/// One datasource by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<DatasourceRow>, StoreError> {
    const SQL: &str = columns!("AND id = $2");
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// One datasource by its exact name, in any case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<DatasourceRow>, StoreError> {
    const SQL: &str = columns!("AND name_key = $2");
    let workspace = tx.workspace;
    let key = name.to_lowercase();
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)?)
}

/// The names of up to 500 datasources, newest first: near names are looked for among them.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT name FROM datasources WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)?)
}

/// What connects to a datasource, encrypted.
pub async fn config(tx: &mut Tx, id: Id) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT config_encrypted FROM datasources WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Registers a datasource; [`StoreError::Duplicate`] when its name is taken.
pub async fn insert(tx: &mut WriteTx, row: &DatasourceRow, config_encrypted: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO datasources (workspace_id, id, name, name_key, kind, config_encrypted, created_by, \
        created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let workspace = tx.workspace;
    let key = row.name.to_lowercase();
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key).bind(&row.kind)
        .bind(config_encrypted).bind(row.created_by).bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Removes a datasource; `false` where it is gone already.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM datasources WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let gone = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(gone == 1)
}
