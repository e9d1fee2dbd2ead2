//! Actions on the workspace and what is installed in it.

mod get_workspace_info;
mod installed;
mod list_workspace_models;
mod list_workspace_plugins;
mod list_workspace_skills;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(get_workspace_info::GetWorkspaceInfo),
        Action::paged(list_workspace_plugins::ListWorkspacePlugins),
        Action::paged(list_workspace_skills::ListWorkspaceSkills),
        Action::paged(list_workspace_models::ListWorkspaceModels),
    ]
}
