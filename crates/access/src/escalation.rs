//! Prevents privilege escalation: a caller can't give a key more than the caller has.

use toolcrib_model::Role;
use toolcrib_registry::{Permission, PermissionResource, Verb};

use crate::{Caller, Scope, Scopes, role_holds, scope::TOOLSET_VERBS};

impl Caller {
    /// Returns whether the caller has a permission: its role has it and the scopes of its credential cover
    /// it.
    pub fn holds(&self, permission: &Permission) -> bool {
        self.role.is_some_and(|role| role_holds(role, permission)) && self.scopes.cover(permission)
    }

    /// Returns the highest role that the caller may give to a member, or `None` if it may give none. Roles up to
    /// editor need `members:manage`, admin and owner also `members:change_role`.
    pub fn highest_role_to_give(&self) -> Option<Role> {
        if !self.holds(&Permission::MEMBERS_MANAGE) {
            return None;
        }
        Some(if self.holds(&Permission::MEMBERS_CHANGE_ROLE) { Role::Owner } else { Role::Editor })
    }
}

/// Returns whether `caller` may give `scope` to a key. For a pattern the caller must have every one of `permissions`,
/// those of all compiled actions, that the pattern covers; if it covers none, it is for toolsets. For a special scope
/// its role must be at least [`Special::giver`](crate::Special::giver), and a key must have the scope itself. The
/// scopes of operator keys can't be given.
pub fn scope_within(caller: &Caller, scope: &Scope, permissions: &[Permission]) -> bool {
    match scope {
        Scope::Pattern { verb, .. } => {
            let mut covered = permissions.iter().filter(|permission| scope.covers(permission)).peekable();
            match scope.toolset().filter(|_| covered.peek().is_none()) {
                None => covered.all(|permission| caller.holds(permission)),
                Some(slug) => covers_toolset(caller, slug, *verb),
            }
        }
        Scope::Special(special) => {
            let own = matches!(caller.scopes, Scopes::All) || caller.scopes.special(*special);
            own && special.giver().is_some_and(|least| caller.role >= Some(least))
        }
    }
}

/// Returns whether the caller's credential covers a verb of a toolset, or every verb. Each tool has its own lowest
/// role, so the role that the key gets bounds what it may call.
fn covers_toolset(caller: &Caller, slug: &str, verb: Option<Verb>) -> bool {
    let resource = PermissionResource::Toolset(slug.into());
    let verbs = TOOLSET_VERBS.into_iter().filter(|known| verb.is_none_or(|verb| verb == *known));
    let permissions = verbs.map(|verb| Permission { resource: resource.clone(), verb });
    caller.role.is_some() && permissions.into_iter().all(|permission| caller.scopes.cover(&permission))
}
