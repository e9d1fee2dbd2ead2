//! The catalogue of models, and the models that a workspace installed.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, StoreError, Tx, WriteTx};

/// A model of the catalogue.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ModelRow {
    /// The name it is called by, such as `gpt-4o-mini`.
    #[schemars(extend("x-ours" = true))]
    pub model: String,
    /// Provider of the model.
    #[schemars(extend("x-ours" = true))]
    pub provider: String,
    /// Display name.
    #[schemars(extend("x-ours" = true))]
    pub name: String,
    /// Size of the context, in tokens.
    pub context_tokens: i64,
    /// Maximum number of output tokens.
    pub max_output_tokens: i64,
    /// Millionths of a US dollar for a million input tokens.
    pub input_microusd_per_mtok: i64,
    /// Millionths of a US dollar for a million output tokens.
    pub output_microusd_per_mtok: i64,
    /// Capabilities: `tools`, `vision`, `reasoning`, `json`.
    #[schemars(extend("x-ours" = true))]
    #[sqlx(try_from = "JsonText")]
    pub capabilities: Vec<String>,
    /// `free`, `budget`, `mid` or `premium`.
    #[schemars(extend("x-ours" = true))]
    pub tier: String,
    /// When the catalogue's entry was last updated.
    #[serde(skip)]
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

#[derive(Clone, Debug, FromRow)]
pub struct InstalledModelRow {
    /// The entry of the catalogue.
    #[sqlx(flatten)]
    pub model: ModelRow,
    pub install_id: Id,
    #[sqlx(try_from = "i64")]
    pub installed_at: Ts,
    /// The number of agents of this workspace that use the model.
    pub agents: i64,
}

/// Returns the whole catalogue, ordered by model; at most 1,000 models.
pub async fn all(tx: &mut Tx) -> Result<Vec<ModelRow>, StoreError> {
    const SQL: &str = select!(models " FROM models ORDER BY model LIMIT 1000");
    with_backend!(tx, c => sqlx::query_as(SQL).fetch_all(c).await)
}

/// Returns the date of the built-in catalogue of models, such as `2026-11-21`.
pub async fn catalogue_date(tx: &mut Tx) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT MAX(version) FROM catalogue_versions WHERE catalogue = 'models'";
    with_backend!(tx, c => sqlx::query_scalar(SQL).fetch_one(c).await)
}

/// Returns one model of the catalogue.
pub async fn get(tx: &mut Tx, model: &str) -> Result<Option<ModelRow>, StoreError> {
    const SQL: &str = select!(models " FROM models WHERE model = $1");
    with_backend!(tx, c => sqlx::query_as(SQL).bind(model).fetch_optional(c).await)
}

/// Lists at most `limit` installed models after `cursor`, most recently installed first.
pub async fn installed(
    tx: &mut Tx,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<InstalledModelRow>, StoreError> {
    const SQL: &str = select!(models "m." ", w.id AS install_id, w.installed_at, \
        CAST((SELECT COUNT(*) FROM agents a WHERE a.workspace_id = $1 AND a.model = m.model) AS BIGINT) AS agents \
        FROM workspace_models w JOIN models m ON m.model = w.model \
        WHERE w.workspace_id = $1 AND (w.installed_at, w.id) < ($2, $3) \
        ORDER BY w.installed_at DESC, w.id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns the ids of the models that this workspace installed, in order; at most 1,000.
pub async fn installed_names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT model FROM workspace_models WHERE workspace_id = $1 ORDER BY model LIMIT 1000";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Installs a model in this workspace, with `id` as the id of the installation. Returns `false` if the model
/// is installed already.
pub async fn install(
    tx: &mut WriteTx,
    id: Id,
    model: &str,
    by: Option<Id>,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO workspace_models (workspace_id, id, model, installed_by, installed_at) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace_id, model) DO NOTHING";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(model).bind(by)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Makes a model the workspace's default if it has none.
pub async fn default_to(tx: &mut WriteTx, model: &str, at: Ts) -> Result<(), StoreError> {
    const SQL: &str =
        "UPDATE workspaces SET default_model = $2, updated_at = $3 WHERE id = $1 AND default_model IS NULL";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(model).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}
