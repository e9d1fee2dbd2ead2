//! Session grants: "always allow this for the session", for one action of one principal in one conversation.
//!
//! They are volatile: a process that ends forgets them, and the database never sees one. What gives and ends them is
//! audited; what runs by one says so. A grant is looked for after the level of a call is decided, so that none, however
//! it got into the store, lets pass what a person must confirm each time.
//!
//! To add an implementation: implement [`Grants`], and run it through the tests of `grants/local.rs`.

mod local;
mod redis;
mod view;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{Id, Role, Ts};

pub use local::LocalGrants;
pub use redis::RedisGrants;
pub use view::{GrantView, GrantsPage, RevokedGrants};

/// How long a grant lasts at most, in seconds: eight hours.
pub const GRANT_SECONDS: i64 = 8 * 3600;

/// What a grant is for. Everything in it must be the same, or there is no grant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GrantKey {
    /// The workspace.
    pub workspace: Id,
    /// Which credential may call, with the user for whom it acts: an agent has no part in its user's own grants.
    pub principal: Principal,
    /// The conversation.
    pub session: String,
    /// The action.
    pub action: String,
    /// SHA-256 of the action's schema: other parameters are another promise.
    pub schema_digest: String,
}

impl GrantKey {
    /// The key of a call by this caller; nothing where it names no conversation.
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

/// A grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its id, for lists and for revoking it.
    pub id: Id,
    /// What it is for.
    pub key: GrantKey,
    /// The role that bounded the principal when it was given; with less it is void.
    pub role: Option<Role>,
    /// When the membership of the principal's user had last changed; after another change it is void.
    pub membership: Option<Ts>,
    /// The person who gave it.
    pub granted_by: Id,
    /// When it was given.
    pub granted_at: Ts,
    /// When it ends.
    pub expires_at: Ts,
}

/// The store of grants can't be asked. Nobody is granted anything then: a person is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

/// Keeps grants until they end, and no longer than the process, or the store that processes share, lives.
pub trait Grants: Send + Sync {
    /// Keeps a grant in the place of one with the same key.
    fn put(&self, grant: Grant) -> BoxFuture<'_, Result<(), Unavailable>>;

    /// The grant with this key that has not ended.
    fn find<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<Option<Grant>, Unavailable>>;

    /// Every grant of a conversation that has not ended, the newest first.
    fn list<'g>(&'g self, workspace: Id, session: &'g str) -> BoxFuture<'g, Result<Vec<Grant>, Unavailable>>;

    /// Forgets a grant; `false` where there was none.
    fn remove<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<bool, Unavailable>>;
}
