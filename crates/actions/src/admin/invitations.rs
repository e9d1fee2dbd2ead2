//! Operations on invitations, by which people become members.

mod create;
mod list;
mod revoke;
mod view;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListInvitations),
        Action::write(create::CreateInvitation),
        Action::write(revoke::RevokeInvitation),
    ]
}
