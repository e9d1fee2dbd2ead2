//! The API form of grants.
#![deny(missing_docs)]

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::Tx;

use super::Grant;
use crate::base::{ActionError, Names};

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
    /// Name of the user, agent or key; null if it has none or was deleted.
    pub principal_name: Option<String>,
    /// Member on whose behalf it acts.
    pub user_id: Option<Id>,
    /// Name of that member; null if they have none.
    pub user_name: Option<String>,
    /// User who gave the grant.
    pub granted_by: Id,
    /// Name of the user who gave the grant; null if they have none.
    pub granted_by_name: Option<String>,
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
    /// Returns the API form of grants of one workspace, with names.
    pub async fn of_all(tx: &mut Tx, grants: &[Grant]) -> Result<Vec<Self>, ActionError> {
        let ids: BTreeSet<Id> = grants.iter().flat_map(named_ids).collect();
        let names = Names::read(tx, &ids).await?;
        Ok(grants.iter().map(|grant| Self::of(grant, &names)).collect())
    }

    fn of(grant: &Grant, names: &Names) -> Self {
        let principal = grant.key.principal;
        Self {
            id: grant.id,
            action: grant.key.action.clone(),
            session: grant.key.session.clone(),
            principal_kind: principal.kind().as_str().to_owned(),
            principal_id: principal.id(),
            principal_name: names.of(principal.id()),
            user_id: principal.user(),
            user_name: principal.user().and_then(|user| names.of(user)),
            granted_by: grant.granted_by,
            granted_by_name: names.of(grant.granted_by),
            granted_at: grant.granted_at,
            expires_at: grant.expires_at,
        }
    }
}

/// Returns the ids whose names the API form of a grant shows.
fn named_ids(grant: &Grant) -> impl Iterator<Item = Id> {
    let principal = grant.key.principal;
    [principal.id(), grant.granted_by].into_iter().chain(principal.user())
}
