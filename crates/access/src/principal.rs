//! The credential that makes a call.

use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, derived_id};

toolcrib_model::closed_set! {
    "a principal kind",
    /// The kind of a credential.
    PrincipalKind {
        /// A person with a user token.
        User = "user",
        /// An agent with its own key.
        Agent = "agent",
        /// An application with a service key.
        Service = "service",
        /// The operator's automation.
        Operator = "operator",
    }
}

/// The credential of a call, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Principal {
    /// A person with a user token.
    User { user_id: Id },
    /// An agent with its own key.
    Agent {
        agent_id: Id,
        /// The member for whom the agent runs. The member's current role bounds the agent.
        runs_as: Id,
    },
    /// An application with a service key.
    Service {
        key_id: Id,
        /// The member for whom it acts, if the request names one.
        on_behalf_of: Option<Id>,
    },
    /// The operator's automation. Has no access to the data of tenants.
    Operator { key_id: Id },
}

impl Principal {
    pub const fn kind(&self) -> PrincipalKind {
        match self {
            Self::User { .. } => PrincipalKind::User,
            Self::Agent { .. } => PrincipalKind::Agent,
            Self::Service { .. } => PrincipalKind::Service,
            Self::Operator { .. } => PrincipalKind::Operator,
        }
    }

    /// Returns the id of the user, the agent or the key.
    pub const fn id(&self) -> Id {
        match *self {
            Self::User { user_id } => user_id,
            Self::Agent { agent_id, .. } => agent_id,
            Self::Service { key_id, .. } | Self::Operator { key_id } => key_id,
        }
    }

    /// Returns the id for everything that is stored or counted per principal: idempotency keys, locks, rate
    /// limits, states. Differs for two members on whose behalf one service key acts, and for two members for
    /// whom one agent runs.
    pub fn key(&self) -> Id {
        match *self {
            Self::Agent { agent_id, runs_as } => {
                derived_id(&[b"agent", agent_id.as_bytes(), runs_as.as_bytes()])
            }
            Self::Service { key_id, on_behalf_of: Some(user_id) } => {
                derived_id(&[b"service", key_id.as_bytes(), user_id.as_bytes()])
            }
            _ => self.id(),
        }
    }

    /// Returns the id to which notifications are addressed. A service key that acts for a member receives the
    /// member's notifications. An agent receives its own, not those of its user.
    pub fn audience(&self) -> Id {
        match *self {
            Self::Service { on_behalf_of: Some(user_id), .. } => user_id,
            _ => self.key(),
        }
    }

    /// Returns the member for whom the principal acts.
    pub const fn user(&self) -> Option<Id> {
        match *self {
            Self::User { user_id } => Some(user_id),
            Self::Agent { runs_as, .. } => Some(runs_as),
            Self::Service { on_behalf_of, .. } => on_behalf_of,
            Self::Operator { .. } => None,
        }
    }
}
