//! The credential and headers of a request, after the credential is verified and before the database is read.

use std::sync::Arc;

use toolcrib_access::Scopes;
use toolcrib_model::{Id, Surface, Ts};

/// A verified credential: the result of gate 1.
#[derive(Clone, Debug)]
pub enum Credential {
    User(UserToken),
    Agent(AgentKey),
    Service(ServiceKey),
    Operator(OperatorKey),
    Client(ClientToken),
    /// The caller of an earlier call, for work that goes on without them.
    Stored(StoredCaller),
}

/// The claims of somebody who made a call, as text that only `engine` makes and reads. It never holds a system
/// admin. What it may do is read anew for each call, and it decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCaller(Arc<str>);

impl StoredCaller {
    pub fn from_text(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text to store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The verified claims of a user token.
#[derive(Clone, Debug)]
pub struct UserToken {
    /// The user's id for (issuer, subject), if a row of that user exists.
    pub user_id: Option<Id>,
    pub issuer: Arc<str>,
    /// The issuer's id of the user.
    pub subject: Arc<str>,
    /// The workspace claim: an id or an external id.
    pub workspace: Option<Arc<str>>,
    /// Whether the claim at the configured path makes the user a system admin.
    pub system_admin: bool,
    /// When the token expires, or the session of the console ends.
    pub expires_at: Ts,
    /// Whether this is a session of the console instead of a token.
    pub console: bool,
}

/// A verified key of an agent.
#[derive(Clone, Debug)]
pub struct AgentKey {
    pub key_id: Id,
    pub workspace: Id,
    pub agent_id: Id,
    /// The member whose role limits the agent.
    pub runs_as: Id,
    /// The mission that the key is restricted to.
    pub mission: Option<Id>,
    pub scopes: Scopes,
    /// The caller types that the key may use. The first is the default.
    pub caller_types: Vec<String>,
}

/// A verified service key.
#[derive(Clone, Debug)]
pub struct ServiceKey {
    pub key_id: Id,
    pub workspace: Id,
    /// The role of the key, as stored; at most editor.
    pub role: String,
    pub scopes: Scopes,
    /// The caller types that the key may use. The first is the default.
    pub caller_types: Vec<String>,
}

/// A verified operator key.
#[derive(Clone, Debug)]
pub struct OperatorKey {
    pub key_id: Id,
    pub scopes: Scopes,
}

/// A verified client token: a service key relays the decisions of one user in one conversation.
#[derive(Clone, Debug)]
pub struct ClientToken {
    /// The key that made the token, with `approvals:relay` as its only scope.
    pub key: ServiceKey,
    /// The user who decides.
    pub user_id: Id,
    /// The conversation.
    pub session: Arc<str>,
    pub expires_at: Ts,
}

/// What the headers of a request ask for. The gates decide whether it is granted.
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
    /// The headers of packs: the slug of each and its value.
    pub packs: Vec<(&'static str, String)>,
}

/// A verified credential with the context that the request asks for.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// The verified credential.
    pub credential: Credential,
    /// The context that the headers ask for.
    pub requested: RequestedContext,
}

impl Authenticated {
    /// Returns a stored caller as the sender of a call.
    pub fn stored(caller: StoredCaller) -> Self {
        Self { credential: Credential::Stored(caller), requested: RequestedContext::default() }
    }

    /// Returns where a request to the HTTP API came from: the console if the credential is one of its
    /// sessions.
    pub fn surface(&self) -> Surface {
        match &self.credential {
            Credential::User(token) if token.console => Surface::Console,
            _ => Surface::Rest,
        }
    }
}
