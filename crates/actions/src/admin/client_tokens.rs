//! Operations on client tokens, with which a browser shows and decides the confirmations of one user in one
//! conversation.

mod create;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![Action::write(create::CreateClientToken)]
}
