//! The permissions of each role.

use toolcrib_model::Role;
use toolcrib_registry::{Permission, PermissionResource, Verb};

use crate::WorkspacePolicy;

const EDITOR_MANAGES: [&str; 7] =
    ["agents", "playbooks", "marketplace", "documents", "schedules", "governance", "missions"];
/// Resources that an admin manages in addition.
const ADMIN_MANAGES: [&str; 5] = ["members", "keys", "settings", "integrations", "toolsets"];
/// Resources that only admins and owners read.
const ADMIN_READS: [&str; 4] = ["audit", "infrastructure", "keys", "toolsets"];

/// Returns whether a role has a permission. No role has one for a toolset: its tools declare the lowest role. For every
/// pack viewers have `read`, members `use`, editors `manage` and admins `delete`.
pub fn role_holds(role: Role, permission: &Permission) -> bool {
    let resource = match permission.resource {
        PermissionResource::Platform(resource) => resource,
        PermissionResource::Toolset(_) => return false,
        PermissionResource::Pack(_) => return pack_role(permission.verb).is_some_and(|least| role >= least),
    };
    match permission.verb {
        Verb::Read => role >= Role::Admin || !ADMIN_READS.contains(&resource),
        Verb::Use => role >= Role::Member,
        Verb::Manage => {
            (role >= Role::Editor && EDITOR_MANAGES.contains(&resource))
                || (role >= Role::Admin && ADMIN_MANAGES.contains(&resource))
        }
        Verb::Delete => role == Role::Owner || (role == Role::Admin && resource != "workspace"),
        Verb::ChangeRole | Verb::Impersonate | Verb::Billing => role == Role::Owner,
    }
}

/// Returns the lowest role that has a permission; `None` if no role has it.
pub fn least_role(permission: &Permission) -> Option<Role> {
    Role::ALL.into_iter().find(|role| role_holds(*role, permission))
}

/// Returns the lowest role with a verb for packs.
const fn pack_role(verb: Verb) -> Option<Role> {
    match verb {
        Verb::Read => Some(Role::Viewer),
        Verb::Use => Some(Role::Member),
        Verb::Manage => Some(Role::Editor),
        Verb::Delete => Some(Role::Admin),
        Verb::ChangeRole | Verb::Impersonate | Verb::Billing => None,
    }
}

/// Caps the role of an agent at editor, unless the workspace's policy sets `agents_inherit_admin`.
pub fn capped(role: Role, policy: &WorkspacePolicy) -> Role {
    if policy.agents_inherit_admin { role } else { role.min(Role::Editor) }
}
