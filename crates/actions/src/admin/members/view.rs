//! A member as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::members::MemberRow;

/// A member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemberView {
    /// Our id of the person.
    pub user_id: Id,
    /// Who issues their tokens.
    pub issuer: String,
    /// Who they are to that issuer: `sub` of their tokens.
    pub subject: String,
    /// What they are called here.
    pub display_name: Option<String>,
    /// `viewer`, `member`, `editor`, `admin` or `owner`.
    pub role: String,
    /// Inactive members hold nothing.
    pub active: bool,
    /// When they were added.
    pub created_at: Ts,
    /// When their membership last changed.
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

/// What a person is called in sentences.
pub fn called(row: &MemberRow) -> &str {
    row.display_name.as_deref().unwrap_or(&row.subject)
}
