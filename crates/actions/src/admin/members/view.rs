//! A member as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::members::MemberRow;

/// A member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemberView {
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
    pub created_at: Ts,
    /// Time of the last change of the membership.
    pub updated_at: Ts,
}

impl From<MemberRow> for MemberView {
    fn from(row: MemberRow) -> Self {
        Self {
            user_id: row.user_id,
            issuer: row.issuer,
            subject: row.subject,
            display_name: row.display_name,
            role: row.role,
            active: row.active,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Returns the name of a member for sentences: the display name, or else the subject.
pub fn called(row: &MemberRow) -> &str {
    row.display_name.as_deref().unwrap_or(&row.subject)
}
