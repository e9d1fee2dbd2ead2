//! The API form of grants.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};

use super::Grant;

/// A session grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantView {
    /// ID.
    pub id: Id,
    /// Action that needs no confirmation.
    pub action: String,
    /// Conversation.
    pub session: String,
    /// Kind of the caller: `user`, `agent` or `service`.
    pub principal_kind: String,
    /// ID of the user, agent or key.
    pub principal_id: Id,
    /// Member on whose behalf it acts.
    pub user_id: Option<Id>,
    /// User who gave the grant.
    pub granted_by: Id,
    /// Time at which it was given.
    pub granted_at: Ts,
    /// Latest time of expiry. A restart of the service, a lower role of the caller or a new schema of the
    /// action ends it before.
    pub expires_at: Ts,
}

/// Grants of a conversation, all on one page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantsPage {
    /// Grants, newest first.
    pub items: Vec<GrantView>,
    /// Always null.
    pub next_cursor: Option<String>,
}

/// Result of revoking grants.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RevokedGrants {
    /// Number of revoked grants.
    pub revoked: usize,
}

impl GrantView {
    /// Returns the API form of a grant.
    pub(crate) fn of(grant: &Grant) -> Self {
        let principal = grant.key.principal;
        Self {
            id: grant.id,
            action: grant.key.action.clone(),
            session: grant.key.session.clone(),
            principal_kind: principal.kind().as_str().to_owned(),
            principal_id: principal.id(),
            user_id: principal.user(),
            granted_by: grant.granted_by,
            granted_at: grant.granted_at,
            expires_at: grant.expires_at,
        }
    }
}
