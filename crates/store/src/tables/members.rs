//! The table `members`: users and their roles in a workspace.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A member.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct MemberRow {
    /// User ID.
    pub user_id: Id,
    /// Issuer (`iss`) of the member's tokens.
    pub issuer: String,
    /// Subject (`sub`) of the member's tokens.
    pub subject: String,
    /// Display name in this workspace.
    pub display_name: Option<String>,
    /// `viewer`, `member`, `editor`, `admin` or `owner`.
    pub role: String,
    /// Whether the membership is active. An inactive member has no permissions.
    pub active: bool,
    /// Time at which the member was added.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change of the membership.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// Lists at most `limit` members after `cursor`, newest first. With `subject`, only members with this
/// subject.
pub async fn list(
    tx: &mut Tx,
    subject: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<MemberRow>, StoreError> {
    const SQL: &str = "SELECT m.user_id, u.issuer, u.subject, coalesce(m.display_name, u.display_name) AS display_name, \
        m.role, m.active, m.created_at, m.updated_at FROM members m JOIN users u ON u.id = m.user_id \
        WHERE m.workspace_id = $1 AND ($2 IS NULL OR u.subject = $2) AND (m.created_at, m.user_id) < ($3, $4) \
        ORDER BY m.created_at DESC, m.user_id DESC LIMIT $5";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(subject)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, user_id: Id) -> Result<Option<MemberRow>, StoreError> {
    const SQL: &str = "SELECT m.user_id, u.issuer, u.subject, coalesce(m.display_name, u.display_name) AS display_name, \
        m.role, m.active, m.created_at, m.updated_at FROM members m JOIN users u ON u.id = m.user_id \
        WHERE m.workspace_id = $1 AND m.user_id = $2";
    tx.find(SQL, user_id).await
}

/// Returns the user id of the active member with this subject. Returns `None` if there is none, or if users
/// of several issuers have this subject.
pub async fn by_subject(tx: &mut Tx, subject: &str) -> Result<Option<Id>, StoreError> {
    const SQL: &str = "SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id \
        WHERE m.workspace_id = $1 AND u.subject = $2 AND m.active LIMIT 2";
    let found: Vec<Id> = with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(subject).fetch_all(c)
            .await)?;
    Ok(match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    })
}

pub async fn count_active(tx: &mut Tx, role: &str) -> Result<i64, StoreError> {
    const SQL: &str =
        "SELECT CAST(COUNT(*) AS BIGINT) FROM members WHERE workspace_id = $1 AND role = $2 AND active";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(role)
        .fetch_one(c).await)
}

/// Counts the active members who may approve other callers' confirmations: admins and owners.
pub async fn count_approvers(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM members \
        WHERE workspace_id = $1 AND role IN ('admin', 'owner') AND active";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Returns id and role of the active members who may approve other callers' confirmations, owners first; at
/// most 1,000.
pub async fn approvers(tx: &mut Tx) -> Result<Vec<(Id, String)>, StoreError> {
    const SQL: &str = "SELECT user_id, role FROM members WHERE workspace_id = $1 AND role IN ('admin', 'owner') \
        AND active ORDER BY role DESC, user_id LIMIT 1000";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Inserts a membership. Fails with [`StoreError::Duplicate`] if the user is a member already.
pub async fn insert(
    tx: &mut WriteTx,
    user_id: Id,
    role: &str,
    display_name: Option<&str>,
    at: Ts,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO members (workspace_id, user_id, role, active, display_name, created_at, updated_at) \
        VALUES ($1, $2, $3, TRUE, $4, $5, $5)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(user_id).bind(role)
        .bind(display_name).bind(at.as_micros()).execute(c).await.map(|_| ()))
}

/// Sets role and activity of a member. Returns `false` if the member does not exist.
pub async fn update(
    tx: &mut WriteTx,
    user_id: Id,
    role: &str,
    active: bool,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str =
        "UPDATE members SET role = $3, active = $4, updated_at = $5 WHERE workspace_id = $1 AND user_id = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(user_id).bind(role).bind(active)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
            == 1,
    )
}

/// Deletes a membership. Returns `false` if the member does not exist.
pub async fn delete(tx: &mut WriteTx, user_id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM members WHERE workspace_id = $1 AND user_id = $2";
    Ok(tx.execute(SQL, user_id).await? == 1)
}
