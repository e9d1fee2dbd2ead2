//! The table `connections`: apps that are connected in a workspace.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A connected app.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ConnectionRow {
    /// ID.
    pub id: Id,
    /// App, such as `slack`. Unique in the workspace.
    pub app: String,
    /// Display name. Unique in the workspace, ignoring case.
    pub name: String,
    /// User who connected it.
    pub created_by: Option<Id>,
    /// Time of connection.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// An agent to which a connected app is assigned.
#[derive(Clone, Debug, FromRow)]
pub struct UseRow {
    pub connection_id: Id,
    pub agent_id: Id,
    pub agent_name: String,
}

/// Lists at most `limit` connected apps after `cursor`, newest first.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<ConnectionRow>, StoreError> {
    const SQL: &str = select!(connections
        " FROM connections WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) \
        ORDER BY created_at DESC, id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns which connected apps are assigned to which agents, ordered by the agent's name; at most 1,000.
pub async fn uses(tx: &mut Tx) -> Result<Vec<UseRow>, StoreError> {
    const SQL: &str = "SELECT t.connection_id, a.id AS agent_id, a.name AS agent_name FROM agent_tools t \
        JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 ORDER BY a.name_key, a.id LIMIT 1000";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ConnectionRow>, StoreError> {
    tx.find(by_id!(connections), id).await
}

/// Returns the connections whose app or name is `name`, regardless of case; at most three.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Vec<ConnectionRow>, StoreError> {
    const SQL: &str = select!(connections
        " FROM connections WHERE workspace_id = $1 AND (app = $2 OR name_key = $2) \
        ORDER BY created_at DESC, id DESC LIMIT 3");
    let (workspace, key) = (tx.workspace, name.to_lowercase());
    with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_all(c).await)
}

/// Returns the connected apps in order, at most 500, for suggestions of similar names.
pub async fn apps(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT app FROM connections WHERE workspace_id = $1 ORDER BY app LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Inserts a connection. Fails with [`StoreError::Duplicate`] if the app is already connected or the name is
/// taken.
pub async fn insert(tx: &mut WriteTx, row: &ConnectionRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO connections (workspace_id, id, app, name, name_key, created_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let (app, key) = (row.app.to_lowercase(), row.name.to_lowercase());
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&app)
        .bind(&row.name).bind(&key).bind(row.created_by).bind(row.created_at.as_micros()).execute(c).await
        .map(|_| ()))
}

/// Deletes a connection and its assignments. Returns `false` if the connection does not exist.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    // A trigger recounts the connected apps of each of these agents: see `agents::lock_all`.
    const AGENTS: &str = "SELECT id FROM agents WHERE workspace_id = $1 AND id IN \
        (SELECT agent_id FROM agent_tools WHERE workspace_id = $1 AND connection_id = $2) ORDER BY id FOR NO KEY UPDATE";
    const TOOLS: &str = "DELETE FROM agent_tools WHERE workspace_id = $1 AND connection_id = $2";
    const SQL: &str = "DELETE FROM connections WHERE workspace_id = $1 AND id = $2";
    tx.lock_rows(AGENTS, id).await?;
    tx.execute(TOOLS, id).await?;
    Ok(tx.execute(SQL, id).await? == 1)
}
