//! The caller of an action, built from the credential and the database.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolcrib_model::{CallerType, Id, Role};

use crate::{delegation::Provenance, principal::Principal, scope::Scopes};

/// The authenticated caller of an action. Built once per request from the credential and the database, never
/// from arguments. There is no default caller.
#[derive(Clone, Debug)]
pub struct Caller {
    pub workspace: Id,
    /// Who acts: a user, an agent, a service or the operator.
    pub principal: Principal,
    /// The current role, after all caps. `None` has no permissions.
    pub role: Option<Role>,
    /// Whether a verified user token states that the caller is a system admin. Never true for a key or an
    /// agent.
    pub system_admin: bool,
    /// The kind of application.
    pub caller_type: CallerType,
    /// The agent's slug, if the caller is an agent.
    pub caller_name: Option<Arc<str>>,
    pub scopes: Scopes,
    /// The conversation, if the request names one.
    pub session: Option<Arc<str>>,
    /// The mission of an agent's key, or the one that a user's request names.
    pub mission: Option<Id>,
    /// The id of the key. `None` for a token.
    pub credential: Option<Id>,
    /// The other people to whom a call is attributed.
    pub provenance: Provenance,
    /// What the request's headers say to packs.
    pub pack_contexts: PackContexts,
}

/// What the headers of a request say to packs, such as the project that its calls must stay in. A backend sets them;
/// they bind the model. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackContexts(Arc<[(Box<str>, Box<str>)]>);

impl PackContexts {
    /// Makes the contexts: each the slug of a pack and the value of its header.
    pub fn new<'s>(contexts: impl IntoIterator<Item = (&'s str, &'s str)>) -> Self {
        Self(contexts.into_iter().map(|(slug, value)| (slug.into(), value.into())).collect())
    }

    pub fn get(&self, slug: &str) -> Option<&str> {
        self.0.iter().find(|(pack, _)| **pack == *slug).map(|(_, value)| &**value)
    }

    /// Returns whether no header says anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
