//! Projects.

mod create_project;
mod delete_project;
mod get_project;
mod get_project_activity;
mod list_projects;
mod update_project;

use toolcrib_engine::prelude::*;
use toolcrib_store::StoreError;

use crate::{permissions, shared::unless_taken, tables::projects::ProjectRow};

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_projects::ListProjects),
        Action::read(get_project::GetProject),
        Action::write(create_project::CreateProject),
        Action::write(update_project::UpdateProject),
        Action::write(delete_project::DeleteProject),
        Action::paged(get_project_activity::GetProjectActivity),
    ]
}

fn store(stored: Result<(), StoreError>, name: &str) -> Result<(), ActionError> {
    unless_taken(stored, || format!("a project named `{name}` exists already"))
}

fn announce(cx: &mut WriteCx<'_>, row: &ProjectRow, change: &str) {
    cx.emit("game.project_changed", permissions::EVENTS, json!({ "project_id": row.id, "change": change }));
}
