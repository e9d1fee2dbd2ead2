//! The API form of grants.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};

use super::Grant;

/// A grant as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantView {
    /// Its id.
    pub id: Id,
    /// The action that runs without asking.
    pub action: String,
    /// The conversation.
    pub session: String,
    /// Whose calls: `user`, `agent` or `service`.
    pub principal_kind: String,
    /// The principal.
    pub principal_id: Id,
    /// The member for whom it acts.
    pub user_id: Option<Id>,
    /// Who gave it.
    pub granted_by: Id,
    /// When it was given.
    pub granted_at: Ts,
    /// When it ends, at the latest: it does not outlive the service, a lesser role or another schema.
    pub expires_at: Ts,
}

/// The grants of a conversation; all on one page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantsPage {
    /// The newest first.
    pub items: Vec<GrantView>,
    /// Always null.
    pub next_cursor: Option<String>,
}

/// What was revoked.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RevokedGrants {
    /// How many grants.
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
            principal_kind: principal.kind().to_owned(),
            principal_id: principal.id(),
            user_id: principal.user(),
            granted_by: grant.granted_by,
            granted_at: grant.granted_at,
            expires_at: grant.expires_at,
        }
    }
}
