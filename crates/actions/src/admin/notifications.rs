//! Notifications: what the workspace tells people beside the answers to their own calls.

mod list;
mod mark_read;
mod view;

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::Action;
use toolcrib_model::Role;
use toolcrib_store::notifications::Reader;

/// The operations on notifications, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::read::<list::ListNotifications>(), Action::write::<mark_read::MarkNotificationRead>()]
}

/// As whom a caller reads: a service key that acts for a member reads theirs; an agent reads its own, not its user's.
fn reader(caller: &Caller) -> Reader {
    let id = match caller.principal {
        Principal::Service { on_behalf_of: Some(user), .. } => user,
        other => other.id(),
    };
    Reader { id, admin: caller.role >= Some(Role::Admin) }
}
