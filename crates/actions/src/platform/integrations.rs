//! Integrations: the apps that a workspace connected.

mod list_connected_apps;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![Action::paged(list_connected_apps::ListConnectedApps)]
}
