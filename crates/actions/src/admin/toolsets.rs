//! Operations on toolsets: the documents of tools that a team declares.

mod apply;
mod check;
mod delete;
mod get;
mod import;
mod list;
mod pins;
mod put;
mod rules;
mod update;
mod view;

use toolcrib_engine::Action;

pub use apply::{AppliedToolset, ChangeKind, ToolChange, apply};
pub use rules::{checked, first_version};

pub fn operations() -> Vec<Action> {
    vec![
        Action::read(list::ListToolsets),
        Action::read(get::GetToolset),
        Action::write(put::PutToolset),
        Action::write(update::UpdateToolset),
        Action::write(delete::DeleteToolset),
        Action::read(check::CheckToolset),
        Action::read(import::ImportToolset),
    ]
}
