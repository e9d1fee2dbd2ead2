//! Actions on the agents of a workspace.

mod assign_plugin_to_agent;
mod assign_skill_to_agent;
mod assign_tool_to_agent;
mod assigned;
mod configure_agent_heartbeat;
mod create_agent;
mod delete_agent;
mod get_agent;
mod heartbeat;
mod list_agents;
mod update_agent;

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_engine::Action;

pub fn actions(models: &Arc<Providers>) -> Vec<Action> {
    vec![
        Action::paged(list_agents::ListAgents),
        Action::read(get_agent::GetAgent),
        Action::write(create_agent::CreateAgent(models.clone())),
        Action::write(update_agent::UpdateAgent(models.clone())),
        Action::write(delete_agent::DeleteAgent),
        Action::write(configure_agent_heartbeat::ConfigureAgentHeartbeat),
        Action::write(assign_tool_to_agent::AssignToolToAgent),
        Action::write(assign_skill_to_agent::AssignSkillToAgent),
        Action::write(assign_plugin_to_agent::AssignPluginToAgent),
    ]
}

toolcrib_model::closed_set! {
    "an agent role",
    /// Kind of work of an agent.
    #[derive(Default)]
    AgentRole {
        /// Talks with people.
        #[default]
        Chatbot = "chatbot",
        /// Does recurring work.
        Worker = "worker",
        /// Collects information.
        Researcher = "researcher",
        /// Writes programs.
        Coder = "coder",
    }
}

toolcrib_model::closed_set! {
    "an agent status",
    /// Whether an agent may act.
    AgentStatus {
        /// May act.
        Active = "active",
        /// May not act, and its keys are refused.
        Inactive = "inactive",
    }
}
