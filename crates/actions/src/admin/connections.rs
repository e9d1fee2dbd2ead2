//! Operations on the apps that are connected in the workspace.

mod create;
mod delete;
mod list;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListConnections),
        Action::write(create::CreateConnection),
        Action::write(delete::DeleteConnection),
    ]
}
