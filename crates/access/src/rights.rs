//! What each role holds.

use toolcrib_model::Role;
use toolcrib_registry::{Permission, Verb};

use crate::{Principal, WorkspacePolicy};

/// Resources that an editor manages.
const EDITOR_MANAGES: [&str; 7] =
    ["agents", "playbooks", "marketplace", "documents", "schedules", "governance", "missions"];
/// Resources that an admin manages besides.
const ADMIN_MANAGES: [&str; 4] = ["members", "keys", "settings", "integrations"];
/// Resources that only admins and owners read.
const ADMIN_READS: [&str; 3] = ["audit", "infrastructure", "keys"];

/// Whether a role holds a permission.
pub fn role_holds(role: Role, permission: Permission) -> bool {
    let resource = permission.resource;
    match permission.verb {
        Verb::Read => role >= Role::Admin || !ADMIN_READS.contains(&resource),
        Verb::Use => role >= Role::Member,
        Verb::Manage => {
            (role >= Role::Editor && EDITOR_MANAGES.contains(&resource))
                || (role >= Role::Admin && ADMIN_MANAGES.contains(&resource))
        }
        Verb::Delete => role == Role::Owner || (role == Role::Admin && resource != "workspace"),
        Verb::ChangeRole | Verb::Billing => role == Role::Owner,
    }
}

/// The role that bounds a principal, given the current role of the member for whom it acts.
///
/// An agent never exceeds editor unless its workspace opted in.
pub fn acting_role(principal: &Principal, member: Role, policy: &WorkspacePolicy) -> Role {
    match principal {
        Principal::Agent { .. } if !policy.agents_inherit_admin => member.min(Role::Editor),
        _ => member,
    }
}
