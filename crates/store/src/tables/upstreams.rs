//! The tables `upstreams` and `upstream_secrets`: the services that declared tools call and those with
//! language models, and the encrypted secrets with which they are called.
//!
//! Every change of an upstream increments `workspaces.toolset_version` in the same transaction, as every
//! change of a toolset does: a tool's definition contains the address of its upstream.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::toolsets::{increment_if_changed, increment_version};
use crate::backend::{StoreError, Tx, WriteTx};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct UpstreamRow {
    /// The name: unique in the workspace.
    pub name: String,
    /// `http`, `mcp`, `openai`, `openai_responses` or `anthropic`.
    pub kind: String,
    /// The address that every path starts from.
    pub base_url: String,
    /// `none`, `bearer`, `header` or `basic`.
    pub auth_kind: String,
    /// The name of the header, for the kind `header`.
    pub auth_name: Option<String>,
    /// Whose secret is sent: `workspace` or `user`.
    pub auth_owner: String,
    /// The names of the models that people may choose: a JSON array, absent for `http` and `mcp`.
    pub models: Option<String>,
    /// The tokens that fit into a request to a model and its answer, if they are known.
    pub context_tokens: Option<i64>,
    /// Incremented by every change of this row.
    pub version: i64,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// The user who last changed the row.
    pub updated_by: Option<Id>,
}

impl UpstreamRow {
    /// Returns the names of the models; none if the column is NULL or can't be read.
    pub fn model_names(&self) -> Vec<String> {
        self.models.as_deref().and_then(|models| serde_json::from_str(models).ok()).unwrap_or_default()
    }
}

/// An encrypted secret.
#[derive(Clone, Debug)]
pub struct UpstreamSecretRow {
    /// The upstream: its name, or `<slug>.<name>` for one that an operator's toolset declares.
    pub upstream: String,
    /// The user whose secret it is; absent for the workspace's.
    pub user_id: Option<Id>,
    pub sealed: String,
    /// The user who set it.
    pub set_by: Option<Id>,
    pub set_at: Ts,
}

/// When the workspace's secret of an upstream was set, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SecretStamp {
    /// The upstream, as in [`UpstreamSecretRow`].
    pub upstream: String,
    /// The user who set it.
    pub set_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub set_at: Ts,
}

/// Selects the columns of an [`UpstreamRow`].
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT name, kind, base_url, auth_kind, auth_name, auth_owner, models, context_tokens, version, \
             updated_at, updated_by FROM upstreams WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Returns the workspace's upstreams, ordered by name.
pub async fn list(tx: &mut Tx) -> Result<Vec<UpstreamRow>, StoreError> {
    const SQL: &str = columns!("ORDER BY name");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, name: &str) -> Result<Option<UpstreamRow>, StoreError> {
    const SQL: &str = columns!("AND name = $2");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(name)
        .fetch_optional(c).await)
}

/// Inserts an upstream with the version of `row`. Returns `false` if the name exists.
pub async fn insert(tx: &mut WriteTx, row: &UpstreamRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO upstreams (workspace_id, name, kind, base_url, auth_kind, auth_name, auth_owner, \
        version, updated_at, updated_by, models, context_tokens) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (workspace_id, name) DO NOTHING";
    let added = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.name).bind(&row.kind)
        .bind(&row.base_url).bind(&row.auth_kind).bind(&row.auth_name).bind(&row.auth_owner).bind(row.version)
        .bind(row.updated_at.as_micros()).bind(row.updated_by).bind(&row.models).bind(row.context_tokens).execute(c).await
        .map(|done| done.rows_affected()))?;
    increment_if_changed(tx, added).await
}

/// Replaces the address, the authentication and the models of the upstream with the name of `row` if it has the version
/// `expected_version`. The stored version becomes `expected_version + 1`, whatever the version of `row`. The
/// kind never changes. Returns `false` if there is no upstream with that name and version.
pub async fn update(tx: &mut WriteTx, row: &UpstreamRow, expected_version: i64) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE upstreams SET version = version + 1, base_url = $4, auth_kind = $5, auth_name = $6, \
        auth_owner = $7, updated_at = $8, updated_by = $9, models = $10, context_tokens = $11 \
        WHERE workspace_id = $1 AND name = $2 AND version = $3";
    let updated = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.name)
        .bind(expected_version).bind(&row.base_url).bind(&row.auth_kind).bind(&row.auth_name).bind(&row.auth_owner)
        .bind(row.updated_at.as_micros()).bind(row.updated_by).bind(&row.models).bind(row.context_tokens).execute(c).await
        .map(|done| done.rows_affected()))?;
    increment_if_changed(tx, updated).await
}

/// Deletes an upstream with the version `expected_version`. The caller deletes its secrets. Returns `false` if
/// there is no such upstream.
pub async fn delete(tx: &mut WriteTx, name: &str, expected_version: i64) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM upstreams WHERE workspace_id = $1 AND name = $2 AND version = $3";
    let deleted = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(name)
        .bind(expected_version).execute(c).await.map(|done| done.rows_affected()))?;
    increment_if_changed(tx, deleted).await
}

/// Locks the upstreams of the workspace until the transaction ends, so that changes of upstreams and of secrets
/// run one after another.
pub async fn lock(tx: &mut WriteTx) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET toolset_version = toolset_version WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).execute(c).await.map(|_| ()))
}

/// Returns the encrypted secret of an upstream: that of the user, or that of the workspace.
pub async fn secret(tx: &mut Tx, upstream: &str, user_id: Option<Id>) -> Result<Option<String>, StoreError> {
    const OF_USER: &str =
        "SELECT sealed FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2 AND user_id = $3";
    const OF_WORKSPACE: &str =
        "SELECT sealed FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2 AND user_id IS NULL";
    Ok(match user_id {
        Some(user_id) => {
            with_backend!(tx, workspace, c => sqlx::query_scalar(OF_USER).bind(workspace).bind(upstream)
                .bind(user_id).fetch_optional(c).await)?
        }
        None => {
            with_backend!(tx, workspace, c => sqlx::query_scalar(OF_WORKSPACE).bind(workspace).bind(upstream)
                .fetch_optional(c).await)?
        }
    })
}

/// Returns when the workspace's secrets were set, and by whom: one for each upstream that has one.
pub async fn workspace_secrets(tx: &mut Tx) -> Result<Vec<SecretStamp>, StoreError> {
    const SQL: &str = "SELECT upstream, set_by, set_at FROM upstream_secrets WHERE workspace_id = $1 \
        AND user_id IS NULL ORDER BY upstream";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns how many users have a secret of each upstream. Upstreams without one are left out.
pub async fn user_secret_counts(tx: &mut Tx) -> Result<Vec<(String, i64)>, StoreError> {
    const SQL: &str = "SELECT upstream, COUNT(*) FROM upstream_secrets WHERE workspace_id = $1 \
        AND user_id IS NOT NULL GROUP BY upstream ORDER BY upstream";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the upstreams of which the user has a secret, by name.
pub async fn with_secret_of(tx: &mut Tx, user_id: Id) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT upstream FROM upstream_secrets WHERE workspace_id = $1 AND user_id = $2 ORDER BY upstream";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(user_id).fetch_all(c).await)?,
    )
}

/// Returns how many users have a secret of the upstream.
pub async fn count_user_secrets(tx: &mut Tx, upstream: &str) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2 \
        AND user_id IS NOT NULL";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(upstream).fetch_one(c)
        .await)
}

/// Stores a secret in place of the one with the same owner. Returns whether there was one. [`lock`] comes
/// first. The `toolset_version` moves where an upstream without a secret of the workspace gets one, because
/// then its tools become available.
pub async fn put_secret(tx: &mut WriteTx, row: &UpstreamSecretRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO upstream_secrets (workspace_id, upstream, user_id, sealed, set_by, set_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    let replaced = remove(tx, &row.upstream, row.user_id).await?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.upstream).bind(row.user_id)
        .bind(&row.sealed).bind(row.set_by).bind(row.set_at.as_micros()).execute(c).await.map(|_| ()))?;
    if !replaced && row.user_id.is_none() {
        increment_version(tx).await?;
    }
    Ok(replaced)
}

/// Deletes the secret of the user, or that of the workspace, which moves the `toolset_version`. Returns
/// `false` if there is none.
pub async fn delete_secret(
    tx: &mut WriteTx,
    upstream: &str,
    user_id: Option<Id>,
) -> Result<bool, StoreError> {
    let deleted = remove(tx, upstream, user_id).await?;
    if deleted && user_id.is_none() {
        increment_version(tx).await?;
    }
    Ok(deleted)
}

async fn remove(tx: &mut WriteTx, upstream: &str, user_id: Option<Id>) -> Result<bool, StoreError> {
    const OF_USER: &str =
        "DELETE FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2 AND user_id = $3";
    const OF_WORKSPACE: &str =
        "DELETE FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2 AND user_id IS NULL";
    let deleted = match user_id {
        Some(user_id) => {
            with_backend!(tx, workspace, c => sqlx::query(OF_USER).bind(workspace).bind(upstream).bind(user_id)
                .execute(c).await.map(|done| done.rows_affected()))?
        }
        None => with_backend!(tx, workspace, c => sqlx::query(OF_WORKSPACE).bind(workspace).bind(upstream)
                .execute(c).await.map(|done| done.rows_affected()))?,
    };
    Ok(deleted == 1)
}

/// Deletes all secrets of an upstream. Returns how many there were.
pub async fn delete_secrets(tx: &mut WriteTx, upstream: &str) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM upstream_secrets WHERE workspace_id = $1 AND upstream = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(upstream).execute(c).await
        .map(|done| done.rows_affected()))
}

/// Deletes all secrets of a user in the workspace. Returns how many there were.
pub async fn delete_secrets_of(tx: &mut WriteTx, user_id: Id) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM upstream_secrets WHERE workspace_id = $1 AND user_id = $2";
    tx.execute(SQL, user_id).await
}
