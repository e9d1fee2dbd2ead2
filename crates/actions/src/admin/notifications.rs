//! Operations on notifications, which inform people of events other than the responses of their own calls.

mod list;
mod mark_all_read;
mod mark_read;

use toolcrib_access::Caller;
use toolcrib_engine::Action;
use toolcrib_model::Role;
use toolcrib_store::notifications::Reader;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListNotifications),
        Action::write(mark_read::MarkNotificationRead),
        Action::write(mark_all_read::MarkAllNotificationsRead),
    ]
}

pub(super) fn reader(caller: &Caller) -> Reader {
    Reader { id: caller.principal.audience(), admin: caller.role >= Some(Role::Admin) }
}
