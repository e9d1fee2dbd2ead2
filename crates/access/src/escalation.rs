//! Nobody gives more than they hold.

use toolcrib_registry::Permission;

use crate::{Caller, Scope, Scopes, role_holds};

impl Caller {
    /// Whether it holds a permission itself: its role does, and its credential was given it.
    pub fn holds(&self, permission: Permission) -> bool {
        self.role.is_some_and(|role| role_holds(role, permission)) && self.scopes.cover(permission)
    }
}

/// Whether `caller` may put `scope` into a key: it holds every permission that a pattern covers. A special scope is
/// given by whose role is at least [`Special::giver`](crate::Special::giver), and through a key only by one that has it
/// itself; an operator's never.
pub fn scope_within(caller: &Caller, scope: &Scope) -> bool {
    match scope {
        Scope::Pattern { .. } => {
            Permission::ALL.iter().filter(|p| scope.covers(**p)).all(|p| caller.holds(*p))
        }
        Scope::Special(special) => {
            let own = matches!(caller.scopes, Scopes::All) || caller.scopes.special(*special);
            own && special.giver().is_some_and(|least| caller.role >= Some(least))
        }
    }
}
