//! The table `datasources`: databases that an admin registered so that they can be queried. The connection
//! settings are stored encrypted and are read only to run a query.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A datasource.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct DatasourceRow {
    /// ID.
    pub id: Id,
    /// Unique in the workspace, ignoring case.
    pub name: String,
    /// `postgres` or `sqlite`.
    pub kind: String,
    /// User who registered it.
    pub created_by: Option<Id>,
    /// Time of registration.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// Selects the columns of a [`DatasourceRow`], without the connection settings.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, kind, created_by, created_at FROM datasources WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Lists at most `limit` datasources after `cursor`, newest first.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<DatasourceRow>, StoreError> {
    const SQL: &str = columns!("AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<DatasourceRow>, StoreError> {
    tx.find(columns!("AND id = $2"), id).await
}

/// Returns the datasource with this name, compared regardless of case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<DatasourceRow>, StoreError> {
    const SQL: &str = columns!("AND name_key = $2");
    let key = name.to_lowercase();
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(&key)
        .fetch_optional(c).await)
}

/// Returns the names of the newest 500 datasources, for suggestions of similar names.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT name FROM datasources WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the encrypted connection settings of a datasource.
pub async fn config(tx: &mut Tx, id: Id) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT config_encrypted FROM datasources WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(id).fetch_optional(c)
        .await)
}

/// Inserts a datasource. Fails with [`StoreError::Duplicate`] if its name is taken.
pub async fn insert(tx: &mut WriteTx, row: &DatasourceRow, config_encrypted: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO datasources (workspace_id, id, name, name_key, kind, config_encrypted, created_by, \
        created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let key = row.name.to_lowercase();
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name)
        .bind(&key).bind(&row.kind).bind(config_encrypted).bind(row.created_by)
        .bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))
}

/// Deletes a datasource. Returns `false` if the datasource does not exist.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM datasources WHERE workspace_id = $1 AND id = $2";
    Ok(tx.execute(SQL, id).await? == 1)
}
