//! Session grants: "always allow this for the session", for one action of one principal in one conversation.
//!
//! Grants are volatile: they are lost when the process ends, and are never in the database. Creating and
//! revoking a grant writes an audit row, and the audit row of a call that a grant allows says so. The engine
//! reads grants only after it has determined the confirmation level of a call, so that no grant can replace a
//! confirmation that is required each time.
//!
//! To add an implementation, implement [`Grants`] and run it through the tests of `grants/local.rs`.

mod local;
mod redis;
mod view;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, Id, Role, Ts};

use crate::base::ActionError;

pub use local::LocalGrants;
pub use redis::RedisGrants;
pub use view::{GrantView, GrantsPage, RevokedGrants};

/// Maximum lifetime of a grant in seconds: eight hours.
pub const GRANT_SECONDS: i64 = 8 * 3600;

/// What a grant applies to. A call must match every field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GrantKey {
    pub workspace: Id,
    /// The credential's principal, including the user for whom it acts. The grants of a user do not apply to
    /// the user's agents.
    pub principal: Principal,
    /// The conversation.
    pub session: String,
    pub action: String,
    /// SHA-256 of the action's schema. A grant does not apply after the parameters change.
    pub schema_digest: String,
}

impl GrantKey {
    /// Returns the key of a call; `None` if the caller names no conversation.
    pub fn of(caller: &Caller, action: &str, schema_digest: &str) -> Option<Self> {
        Some(Self {
            workspace: caller.workspace,
            principal: caller.principal,
            session: caller.session.as_deref()?.to_owned(),
            action: action.to_owned(),
            schema_digest: schema_digest.to_owned(),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The id of the grant, for lists and revocation.
    pub id: Id,
    pub key: GrantKey,
    /// The role that limited the principal when the grant was created. The grant is void if the role is lower
    /// now.
    pub role: Option<Role>,
    /// When the membership of the principal's user had last changed. The grant is void after another change.
    pub membership: Option<Ts>,
    /// The user who created the grant.
    pub granted_by: Id,
    /// When the grant was created.
    pub granted_at: Ts,
    pub expires_at: Ts,
}

impl Grant {
    /// Returns whether the caller may see and revoke the grant: a user or key those of its user, an agent only its
    /// own, an admin all.
    pub(crate) fn visible_to(&self, caller: &Caller) -> bool {
        if let Principal::Agent { .. } = caller.principal {
            return self.key.principal == caller.principal;
        }
        let user = caller.principal.user();
        let own = user.is_some() && self.key.principal.user() == user;
        own || self.key.principal == caller.principal || caller.role >= Some(Role::Admin)
    }
}

/// Returns the grants of a conversation, or of all conversations, that the caller may see, newest first. 503
/// `store_unavailable` if they can't be read.
pub(crate) async fn visible_grants(
    grants: &dyn Grants,
    caller: &Caller,
    session: Option<&str>,
) -> Result<Vec<Grant>, ActionError> {
    let mut found = grants.list(caller.workspace, session).await?;
    found.retain(|grant| grant.visible_to(caller));
    Ok(found)
}

/// The store of grants can't be reached. Calls then need a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

impl From<Unavailable> for ActionError {
    fn from(_: Unavailable) -> Self {
        Self::new(ErrorCode::StoreUnavailable, "session grants are unavailable; nothing was done")
    }
}

/// Stores grants until they expire. A store loses its grants when the process or the shared Redis ends.
pub trait Grants: Send + Sync {
    /// Stores a grant. Replaces a grant with the same key.
    fn put(&self, grant: Grant) -> BoxFuture<'_, Result<(), Unavailable>>;

    /// Returns the grant with this key, unless it has expired.
    fn find<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<Option<Grant>, Unavailable>>;

    /// Returns all grants of a conversation, or of a workspace, that have not expired, newest first.
    fn list<'g>(
        &'g self,
        workspace: Id,
        session: Option<&'g str>,
    ) -> BoxFuture<'g, Result<Vec<Grant>, Unavailable>>;

    /// Deletes a grant. Returns `false` if there was none.
    fn remove<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<bool, Unavailable>>;
}
