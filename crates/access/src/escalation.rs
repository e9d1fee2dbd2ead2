//! Prevents privilege escalation: a caller can't give a key more than the caller has.

use toolcrib_registry::Permission;

use crate::{Caller, Scope, Scopes, role_holds};

impl Caller {
    /// Returns whether the caller has a permission: its role has it and the scopes of its credential cover
    /// it.
    pub fn holds(&self, permission: &Permission) -> bool {
        self.role.is_some_and(|role| role_holds(role, permission)) && self.scopes.cover(permission)
    }
}

/// Returns whether `caller` may give `scope` to a key. For a pattern the caller must have every permission
/// that the pattern covers. For a special scope its role must be at least
/// [`Special::giver`](crate::Special::giver), and a key must have the scope itself. The scopes of operator
/// keys can't be given.
pub fn scope_within(caller: &Caller, scope: &Scope) -> bool {
    match scope {
        Scope::Pattern { .. } => Permission::ALL.iter().filter(|p| scope.covers(p)).all(|p| caller.holds(p)),
        Scope::Special(special) => {
            let own = matches!(caller.scopes, Scopes::All) || caller.scopes.special(*special);
            own && special.giver().is_some_and(|least| caller.role >= Some(least))
        }
    }
}
