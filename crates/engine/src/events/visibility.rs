//! Which events of a workspace a caller may see.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{Caller, Scopes, Special, role_holds};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_registry::Permission;
use toolcrib_store::events::EventEntry;

use crate::base::ActionError;

/// The events that a caller may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventVisibility {
    All,
    Domain,
    /// The domain events whose permission the role has, and the user's own other events.
    Own {
        /// The user who acts or is acted for.
        user: Option<Id>,
        /// The permissions of the role, such as `agents:read`.
        held: Vec<String>,
    },
    /// The events of confirmations of calls for one user in one conversation.
    Confirmations {
        /// The user for whom the calls were made.
        user: Id,
        /// The conversation.
        session: Arc<str>,
    },
}

impl EventVisibility {
    /// Returns the visibility of a caller, with the permissions of all compiled actions: everything for an admin,
    /// otherwise by role. A key needs the scope `events:read` and sees what its user or its role may read. A caller
    /// without a role in the workspace is refused.
    pub fn of(caller: &Caller, permissions: &[Permission]) -> Result<Self, ActionError> {
        if matches!(caller.scopes, Scopes::Only(_)) && !caller.scopes.special(Special::EventsRead) {
            return Err(no_scope(Special::EventsRead));
        }
        let Some(role) = caller.role else {
            let detail = "events are for members of this workspace";
            return Err(ActionError::new(ErrorCode::PermissionDenied, detail)
                .hint("ask an admin of the workspace to add you"));
        };
        if role >= Role::Admin {
            return Ok(Self::All);
        }
        let held = permissions.iter().filter(|permission| role_holds(role, permission));
        Ok(Self::Own { user: caller.principal.user(), held: held.map(ToString::to_string).collect() })
    }

    /// Returns whether an event is visible.
    pub fn allows(&self, event: &EventEntry) -> bool {
        match self {
            Self::All => true,
            Self::Domain => event.kind == "domain",
            Self::Own { user, held } => match &event.permission {
                Some(permission) => event.kind == "domain" && held.contains(permission),
                None => user.is_some() && event.user_id == *user,
            },
            Self::Confirmations { user, session } => {
                event.kind == "permission"
                    && event.user_id == Some(*user)
                    && event.session.as_deref() == Some(&**session)
                    && names_confirmation(event)
            }
        }
    }
}

/// Returns whether an event is about a call that waits or waited for a person.
fn names_confirmation(event: &EventEntry) -> bool {
    let data: Option<Value> = serde_json::from_str(&event.data).ok();
    data.is_some_and(|data| data.get("confirmation_id").is_some())
}

/// Makes the error for a credential without a required scope.
pub fn no_scope(scope: Special) -> ActionError {
    let word = scope.as_str();
    ActionError::new(ErrorCode::InsufficientScope, format!("this needs the scope `{word}`"))
        .hint("use a credential with that scope")
}

#[cfg(test)]
mod tests {
    use toolcrib_model::Ts;

    use super::*;

    fn event(kind: &str, permission: Option<&str>, user: Option<u128>) -> EventEntry {
        EventEntry {
            offset: 1,
            workspace_id: Id::from_u128(1),
            id: Id::from_u128(2),
            name: "thing.made".into(),
            kind: kind.into(),
            session: None,
            user_id: user.map(Id::from_u128),
            permission: permission.map(str::to_owned),
            data: "{}".into(),
            occurred_at: Ts::from_micros(0),
        }
    }

    #[test]
    fn a_member_sees_what_they_may_read_and_what_is_their_own() {
        let held = vec!["agents:read".to_owned()];
        let member = EventVisibility::Own { user: Some(Id::from_u128(7)), held: held.clone() };
        assert!(member.allows(&event("domain", Some("agents:read"), Some(8))));
        assert!(!member.allows(&event("domain", Some("keys:read"), Some(7))));
        assert!(member.allows(&event("permission", None, Some(7))));
        for hidden in [
            event("permission", None, Some(8)),
            event("permission", None, None),
            event("permission", Some("agents:read"), Some(8)),
            event("domain", None, Some(8)),
        ] {
            assert!(!member.allows(&hidden), "{hidden:?}");
        }
        // A key that acts for no user must not see the events that have no user.
        let key = EventVisibility::Own { user: None, held };
        assert!(!key.allows(&event("permission", None, None)));
        assert!(EventVisibility::Domain.allows(&event("domain", None, None)));
        assert!(!EventVisibility::Domain.allows(&event("permission", None, None)));
    }
}
