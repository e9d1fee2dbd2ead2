//! The credential that acts.

use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, derived_id};

/// What kind of credential acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Principal {
    /// A person with a user token.
    User {
        /// The person.
        user_id: Id,
    },
    /// An agent with its own key.
    Agent {
        /// The agent.
        agent_id: Id,
        /// The member whose current role bounds it.
        runs_as: Id,
    },
    /// An application with a service key.
    Service {
        /// The key.
        key_id: Id,
        /// The member it acts for, if it named one.
        on_behalf_of: Option<Id>,
    },
    /// The operator's own automation. Holds no tenant rights.
    Operator {
        /// The key.
        key_id: Id,
    },
}

impl Principal {
    /// The wire word of its kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Agent { .. } => "agent",
            Self::Service { .. } => "service",
            Self::Operator { .. } => "operator",
        }
    }

    /// Its own id.
    pub const fn id(&self) -> Id {
        match *self {
            Self::User { user_id } => user_id,
            Self::Agent { agent_id, .. } => agent_id,
            Self::Service { key_id, .. } | Self::Operator { key_id } => key_id,
        }
    }

    /// One id for everything that is kept apart by principal: keys of repeated calls, locks, limits, states. Two users of
    /// one service key have two, and so have two members as whom one agent runs.
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

    /// The id under which it is told things. A service key that acts for a member is told what the member is told; an
    /// agent its own, apart from what its user is told.
    pub fn audience(&self) -> Id {
        match *self {
            Self::Service { on_behalf_of: Some(user_id), .. } => user_id,
            _ => self.key(),
        }
    }

    /// The member for whom it acts.
    pub const fn user(&self) -> Option<Id> {
        match *self {
            Self::User { user_id } => Some(user_id),
            Self::Agent { runs_as, .. } => Some(runs_as),
            Self::Service { on_behalf_of, .. } => on_behalf_of,
            Self::Operator { .. } => None,
        }
    }
}
