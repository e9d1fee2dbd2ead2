//! Who calls, as it was established from the credential and the database.

use std::sync::Arc;

use toolcrib_model::{CallerType, Id, Role};

use crate::{delegation::Provenance, principal::Principal, scope::Scopes};

/// Who calls. Built once, at the edge, from the credential and the database; never from arguments. There is no
/// default caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The workspace it acts in.
    pub workspace: Id,
    /// Which credential acts.
    pub principal: Principal,
    /// The role that bounds it now, already capped; `None` holds nothing.
    pub role: Option<Role>,
    /// A verified token says so; never a key or an agent.
    pub system_admin: bool,
    /// What kind of application it is.
    pub caller_type: CallerType,
    /// The agent's slug.
    pub caller_name: Option<Arc<str>>,
    /// What the credential was given.
    pub scopes: Scopes,
    /// The conversation, where one was named.
    pub session: Option<Arc<str>>,
    /// The mission of an agent's key, or the one a user named.
    pub mission: Option<Id>,
    /// The credential's id: the key, or absent for a token.
    pub credential: Option<Id>,
    /// Who else stands behind it.
    pub provenance: Provenance,
}
