//! The caller of an action, built from the credential and the database.

use std::sync::Arc;

use toolcrib_model::{CallerType, Id, Role};

use crate::{delegation::Provenance, principal::Principal, scope::Scopes};

/// The authenticated caller of an action. Built once per request from the credential and the database, never
/// from arguments. There is no default caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The workspace in which the caller acts.
    pub workspace: Id,
    /// The credential.
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
    /// The scopes of the credential.
    pub scopes: Scopes,
    /// The conversation, if the request names one.
    pub session: Option<Arc<str>>,
    /// The mission of an agent's key, or the one that a user's request names.
    pub mission: Option<Id>,
    /// The id of the key. `None` for a token.
    pub credential: Option<Id>,
    /// The other people to whom a call is attributed.
    pub provenance: Provenance,
}
