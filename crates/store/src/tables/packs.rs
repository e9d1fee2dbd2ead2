//! The table `pack_settings` and the column `workspaces.packs`: which packs a workspace has switched on, and with which
//! settings.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `pack_settings`. A pack that the workspace never changed has none.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PackRow {
    pub slug: String,
    /// Incremented by every change of this row.
    pub version: i64,
    /// The settings as JSON text; absent for the defaults.
    pub settings: Option<String>,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// The user who last changed the row.
    pub updated_by: Option<Id>,
}

const COLUMNS: &str = "SELECT slug, version, settings, updated_at, updated_by FROM pack_settings \
    WHERE workspace_id = $1 AND ($2 IS NULL OR slug = $2) ORDER BY slug";

/// Returns the workspace's rows, ordered by slug.
pub async fn list(tx: &mut Tx) -> Result<Vec<PackRow>, StoreError> {
    with_backend!(tx, workspace, c => sqlx::query_as(COLUMNS).bind(workspace).bind(None::<&str>)
        .fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, slug: &str) -> Result<Option<PackRow>, StoreError> {
    with_backend!(tx, workspace, c => sqlx::query_as(COLUMNS).bind(workspace).bind(Some(slug))
        .fetch_optional(c).await)
}

/// Inserts or replaces a row, with the next version, which it returns.
pub async fn put(tx: &mut WriteTx, row: &PackRow) -> Result<i64, StoreError> {
    const SQL: &str = "INSERT INTO pack_settings (workspace_id, slug, version, settings, updated_at, updated_by) \
        VALUES ($1, $2, 1, $3, $4, $5) ON CONFLICT (workspace_id, slug) DO UPDATE SET \
        version = pack_settings.version + 1, settings = excluded.settings, updated_at = excluded.updated_at, \
        updated_by = excluded.updated_by RETURNING version";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(&row.slug).bind(&row.settings)
        .bind(row.updated_at.as_micros()).bind(row.updated_by).fetch_one(c).await)?,
    )
}

pub async fn set_enabled(tx: &mut WriteTx, packs: &str, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET packs = $2, updated_at = $3 WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(packs).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}
