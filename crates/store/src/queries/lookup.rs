//! What must be known before a tenant is: which workspace a name or key means, where a user is a member.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{Db, StoreError, Tx},
    tables::keys::{self, KeyRow, OperatorKeyRow},
};

/// What an id of a key means.
#[derive(Clone, Debug)]
pub enum StoredKey {
    /// A key of a workspace.
    Workspace(Box<KeyRow>),
    /// A key that was made on the command line.
    Operator(OperatorKeyRow),
}

/// A workspace that a user is a member of.
#[derive(Clone, Debug, FromRow)]
pub struct Membership {
    /// The workspace.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its identity provider's id.
    pub external_id: Option<String>,
    /// Its plan.
    pub plan: String,
    /// The user's role there.
    pub role: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// The workspace with this external id.
pub async fn workspace_by_external(db: &Db, external: &str) -> Result<Option<Id>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar("SELECT id FROM workspaces WHERE external_id = $1 AND deleted_at IS NULL")
            .bind(external).fetch_optional(c).await,
        pg c => sqlx::query_scalar::<_, Option<Id>>("SELECT workspace_by_external($1)")
            .bind(external).fetch_one(c).await,
    )?;
    tx.end().await?;
    Ok(found)
}

/// Where a user is an active member, oldest workspace first.
pub async fn memberships_of(db: &Db, user_id: Id) -> Result<Vec<Membership>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = memberships_in(&mut tx, user_id).await?;
    tx.end().await?;
    Ok(found)
}

/// Like [`memberships_of`], inside a transaction of any workspace.
pub async fn memberships_in(tx: &mut Tx, user_id: Id) -> Result<Vec<Membership>, StoreError> {
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as("SELECT w.id, w.name, w.external_id, w.plan, m.role, w.created_at FROM members m \
            JOIN workspaces w ON w.id = m.workspace_id \
            WHERE m.user_id = $1 AND m.active AND w.deleted_at IS NULL ORDER BY w.created_at, w.id")
            .bind(user_id).fetch_all(c).await,
        pg c => sqlx::query_as("SELECT * FROM memberships_of($1) ORDER BY created_at, id")
            .bind(user_id).fetch_all(c).await,
    )?)
}

/// A key by its id: of whichever workspace, or an operator's. One transaction, because this is what a flood of keys that do
/// not exist costs.
pub async fn key_by_id(db: &Db, id: Id) -> Result<Option<StoredKey>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found: Option<KeyRow> = per_backend!(tx,
        sqlite c => sqlx::query_as("SELECT * FROM keys WHERE id = $1").bind(id).fetch_optional(c).await,
        pg c => sqlx::query_as("SELECT * FROM key_by_id($1)").bind(id).fetch_optional(c).await,
    )?;
    let found = match found {
        Some(row) => Some(StoredKey::Workspace(Box::new(row))),
        None => keys::operator_by_id(&mut tx, id).await?.map(StoredKey::Operator),
    };
    tx.end().await?;
    Ok(found)
}
