//! Operations on workspaces, which are the tenants.

mod create;
mod delete;
mod get;
mod list;
mod update;
pub mod view;

use toolcrib_engine::Action;

pub use create::Input as WorkspaceInput;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListWorkspaces),
        Action::read(get::GetWorkspace),
        Action::write(create::CreateWorkspace),
        Action::write(update::UpdateWorkspace),
        Action::write(delete::DeleteWorkspace),
    ]
}
