//! What a request says about who calls, after its credential was verified and before the database was asked.

use std::sync::Arc;

use toolcrib_access::Scopes;
use toolcrib_model::{Id, Ts};

/// A verified credential: gate 1's result.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A user token.
    User(UserToken),
    /// An agent's key.
    Agent(AgentKey),
    /// A service key.
    Service(ServiceKey),
    /// An operator key.
    Operator(OperatorKey),
}

/// What a verified user token says.
#[derive(Clone, Debug)]
pub struct UserToken {
    /// Our id of (issuer, subject); absent where we never heard of them.
    pub user_id: Option<Id>,
    /// Who issued it.
    pub issuer: Arc<str>,
    /// Who they are to the issuer.
    pub subject: Arc<str>,
    /// The workspace claim: an id or an external id.
    pub workspace: Option<Arc<str>>,
    /// The literal claim of the configured path.
    pub system_admin: bool,
    /// When it ends.
    pub expires_at: Ts,
}

/// What an agent's key says.
#[derive(Clone, Debug)]
pub struct AgentKey {
    /// The key.
    pub key_id: Id,
    /// Where it was made.
    pub workspace: Id,
    /// The agent.
    pub agent_id: Id,
    /// The member whose role bounds it.
    pub runs_as: Id,
    /// The mission it works in.
    pub mission: Option<Id>,
    /// What it was given.
    pub scopes: Scopes,
    /// Which caller types it may be; the first is the default.
    pub caller_types: Vec<String>,
}

/// What a service key says.
#[derive(Clone, Debug)]
pub struct ServiceKey {
    /// The key.
    pub key_id: Id,
    /// Where it was made.
    pub workspace: Id,
    /// The role it was given, as stored; at most editor.
    pub role: String,
    /// What it was given.
    pub scopes: Scopes,
    /// Which caller types it may be; the first is the default.
    pub caller_types: Vec<String>,
}

/// What an operator key says.
#[derive(Clone, Debug)]
pub struct OperatorKey {
    /// The key.
    pub key_id: Id,
    /// What it was given.
    pub scopes: Scopes,
}

/// What the request's headers ask for beside the credential. Each is only a wish: the gates decide.
#[derive(Clone, Debug, Default)]
pub struct RequestedContext {
    /// `X-Workspace-Id`: an id or an external id.
    pub workspace: Option<String>,
    /// `X-Caller-Type`.
    pub caller_type: Option<String>,
    /// `X-Session-Id`.
    pub session: Option<String>,
    /// `X-Mission-Id`.
    pub mission: Option<String>,
    /// `X-On-Behalf-Of`: our user id or a subject.
    pub on_behalf_of: Option<String>,
}

/// Who calls, as the edge knows it.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// The verified credential.
    pub credential: Credential,
    /// What else was asked for.
    pub requested: RequestedContext,
}
