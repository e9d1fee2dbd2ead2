//! Keys of agents and services.

mod create;
mod grant;
mod list;
mod revoke;
mod view;

use toolcrib_engine::Action;

/// The operations on keys, in order.
pub fn operations() -> Vec<Action> {
    vec![
        Action::read::<list::ListKeys>(),
        Action::write::<create::CreateKey>(),
        Action::write::<revoke::RevokeKey>(),
    ]
}
