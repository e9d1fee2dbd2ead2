//! Look-ups before the workspace is known: the workspace of an external id or key, and a user's memberships.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Role, Ts};

use crate::{
    backend::{Db, StoreError, Tx},
    tables::{
        keys::{self, KeyRow, OperatorKeyRow},
        workspaces::WorkspaceRow,
    },
};

/// A key, found by its id.
#[derive(Clone, Debug)]
pub enum StoredKey {
    Workspace(Box<KeyRow>),
    /// A key of the operator, created on the command line.
    Operator(OperatorKeyRow),
}

/// A workspace.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct Membership {
    /// ID.
    pub id: Id,
    /// Display name.
    pub name: String,
    /// ID at the identity provider.
    pub external_id: Option<String>,
    /// Product that was used.
    pub plan: String,
    /// Role of the caller in the workspace; null if the caller has none.
    pub role: Option<String>,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl Membership {
    /// Returns a workspace for a caller with `role`.
    pub fn new(row: WorkspaceRow, role: Option<Role>) -> Self {
        Self {
            id: row.id,
            name: row.name,
            external_id: row.external_id,
            plan: row.plan,
            role: role.map(|role| role.as_str().to_owned()),
            created_at: row.created_at,
        }
    }
}

pub async fn workspace_by_external(db: &Db, external: &str) -> Result<Option<Id>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar("SELECT id FROM workspaces WHERE external_id = $1 AND deleted_at IS NULL")
            .bind(external).fetch_optional(c).await,
        pg c => sqlx::query_scalar::<_, Option<Id>>("SELECT workspace_by_external($1)")
            .bind(external).fetch_one(c).await,
    );
    tx.finish(found).await
}

/// Returns the active memberships of a user, oldest workspace first, in a transaction of any workspace.
pub async fn memberships_in(tx: &mut Tx, user_id: Id) -> Result<Vec<Membership>, StoreError> {
    per_backend!(tx,
        sqlite c => sqlx::query_as("SELECT w.id, w.name, w.external_id, w.plan, m.role, w.created_at FROM members m \
            JOIN workspaces w ON w.id = m.workspace_id \
            WHERE m.user_id = $1 AND m.active AND w.deleted_at IS NULL ORDER BY w.created_at, w.id")
            .bind(user_id).fetch_all(c).await,
        pg c => sqlx::query_as("SELECT * FROM memberships_of($1) ORDER BY created_at, id")
            .bind(user_id).fetch_all(c).await,
    )
}

/// Returns every workspace that was not deleted, oldest first, without a role. For system admins.
pub async fn all_workspaces(tx: &mut Tx) -> Result<Vec<Membership>, StoreError> {
    per_backend!(tx,
        sqlite c => sqlx::query_as("SELECT id, name, external_id, plan, NULL AS role, created_at FROM workspaces \
            WHERE deleted_at IS NULL ORDER BY created_at, id").fetch_all(c).await,
        pg c => sqlx::query_as("SELECT *, CAST(NULL AS TEXT) AS role FROM all_workspaces() ORDER BY created_at, id")
            .fetch_all(c).await,
    )
}

/// Returns the key with this id: of any workspace, or of the operator. Uses one transaction, to bound the
/// cost of requests with unknown keys.
pub async fn key_by_id(db: &Db, id: Id) -> Result<Option<StoredKey>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let sql = tx.sql(select!(keys " FROM keys WHERE id = $1"), select!(keys " FROM key_by_id($1)"));
    let found: Option<KeyRow> = with_backend!(tx, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?;
    let found = match found {
        Some(row) => Some(StoredKey::Workspace(Box::new(row))),
        None => keys::operator_by_id(&mut tx, id).await?.map(StoredKey::Operator),
    };
    tx.end().await?;
    Ok(found)
}
