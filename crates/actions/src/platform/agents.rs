//! Agents: who works in a workspace.

mod create_agent;
mod delete_agent;
mod get_agent;
mod list_agents;
mod update_agent;
mod view;

use toolcrib_engine::Action;

/// The actions of this category, in order.
pub fn actions() -> Vec<Action> {
    vec![
        Action::read::<list_agents::ListAgents>(),
        Action::read::<get_agent::GetAgent>(),
        Action::write::<create_agent::CreateAgent>(),
        Action::write::<update_agent::UpdateAgent>(),
        Action::write::<delete_agent::DeleteAgent>(),
    ]
}
