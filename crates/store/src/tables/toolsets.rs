//! The table `toolsets`: the documents of tools that a workspace declares, and the workspace's settings for
//! the operator's toolsets.
//!
//! Every change increments `workspaces.toolset_version` in the same transaction. The access row holds that
//! version, so that a call knows which toolsets apply without reading them.
//!
//! On PostgreSQL the increment locks the workspace's row until the transaction ends, which serializes changes
//! of toolsets: a caller that lists the toolsets after its change sees all earlier changes, and can enforce
//! limits on their number and size.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx, json};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ToolsetRow {
    /// The slug: unique in the workspace.
    pub slug: String,
    /// Incremented by every change of this row.
    pub version: i64,
    /// The document; absent for a toolset of the operator.
    pub document: Option<String>,
    /// The document's digest; absent without a document.
    pub digest: Option<String>,
    /// Whether the workspace uses the toolset.
    pub enabled: bool,
    /// The names of the tools that the workspace disabled.
    #[sqlx(try_from = "StoredNames")]
    pub disabled_tools: Vec<String>,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// The user who last changed the row.
    pub updated_by: Option<Id>,
}

/// A list of names as stored: a JSON text.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
struct StoredNames(String);

impl TryFrom<StoredNames> for Vec<String> {
    type Error = serde_json::Error;

    fn try_from(stored: StoredNames) -> Result<Self, Self::Error> {
        serde_json::from_str(&stored.0)
    }
}

/// Selects the columns of a [`ToolsetRow`].
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT slug, version, document, digest, enabled, disabled_tools, updated_at, updated_by \
             FROM toolsets WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Returns the workspace's toolsets with their documents, ordered by slug.
pub async fn list(tx: &mut Tx) -> Result<Vec<ToolsetRow>, StoreError> {
    const SQL: &str = columns!("ORDER BY slug");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, slug: &str) -> Result<Option<ToolsetRow>, StoreError> {
    const SQL: &str = columns!("AND slug = $2");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(slug)
        .fetch_optional(c).await)
}

/// Returns the version of the workspace's toolsets: the number of changes so far.
pub async fn version(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT toolset_version FROM workspaces WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Inserts a toolset with the version of `row`. Returns `false` if the slug exists.
pub async fn insert(tx: &mut WriteTx, row: &ToolsetRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO toolsets (workspace_id, slug, version, document, digest, enabled, disabled_tools, \
        updated_at, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
        ON CONFLICT (workspace_id, slug) DO NOTHING";
    let disabled = json(&row.disabled_tools)?;
    let added = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.slug)
        .bind(row.version)
        .bind(&row.document).bind(&row.digest).bind(row.enabled).bind(&disabled).bind(row.updated_at.as_micros())
        .bind(row.updated_by).execute(c).await.map(|done| done.rows_affected()))?;
    increment_if_changed(tx, added).await
}

/// Replaces the toolset with the slug of `row` if it has the version `expected_version`. The stored version
/// becomes `expected_version + 1`, whatever the version of `row`. Returns `false` if there is no toolset with
/// that slug and version.
pub async fn update(tx: &mut WriteTx, row: &ToolsetRow, expected_version: i64) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE toolsets SET version = version + 1, document = $4, digest = $5, enabled = $6, \
        disabled_tools = $7, updated_at = $8, updated_by = $9 WHERE workspace_id = $1 AND slug = $2 AND version = $3";
    let disabled = json(&row.disabled_tools)?;
    let updated = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.slug)
        .bind(expected_version)
        .bind(&row.document).bind(&row.digest).bind(row.enabled).bind(&disabled).bind(row.updated_at.as_micros())
        .bind(row.updated_by).execute(c).await.map(|done| done.rows_affected()))?;
    increment_if_changed(tx, updated).await
}

/// Deletes a toolset, if it has the version `expected_version` or if none is expected. Returns `false` if
/// there is no such toolset.
pub async fn delete(tx: &mut WriteTx, slug: &str, expected_version: Option<i64>) -> Result<bool, StoreError> {
    const SQL: &str =
        "DELETE FROM toolsets WHERE workspace_id = $1 AND slug = $2 AND ($3 IS NULL OR version = $3)";
    let deleted = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(slug)
        .bind(expected_version).execute(c).await.map(|done| done.rows_affected()))?;
    increment_if_changed(tx, deleted).await
}

/// Increments the workspace's `toolset_version` if a statement changed its row. Returns whether it did.
pub(super) async fn increment_if_changed(tx: &mut WriteTx, changed: u64) -> Result<bool, StoreError> {
    if changed == 1 {
        increment_version(tx).await?;
    }
    Ok(changed == 1)
}

/// Increments the workspace's `toolset_version`.
pub(super) async fn increment_version(tx: &mut WriteTx) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET toolset_version = toolset_version + 1 WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).execute(c).await.map(|_| ()))
}
