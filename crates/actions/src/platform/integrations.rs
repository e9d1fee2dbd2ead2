//! Integrations: the apps that a workspace connected.

mod list_connected_apps;

use toolcrib_engine::Action;

/// Returns the actions of this category, in the order of the catalogue.
pub fn actions() -> Vec<Action> {
    vec![Action::paged(list_connected_apps::ListConnectedApps)]
}
