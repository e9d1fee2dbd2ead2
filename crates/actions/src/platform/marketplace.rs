//! Actions that browse and install the items of the marketplace.

mod browse;
mod browse_marketplace_agents;
mod browse_marketplace_plugins;
mod browse_marketplace_skills;
mod install;
mod install_model;
mod install_plugin;
mod install_skill;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(browse_marketplace_agents::BrowseMarketplaceAgents),
        Action::paged(browse_marketplace_skills::BrowseMarketplaceSkills),
        Action::paged(browse_marketplace_plugins::BrowseMarketplacePlugins),
        Action::write(install_skill::InstallSkill),
        Action::write(install_plugin::InstallPlugin),
        Action::write(install_model::InstallModel),
    ]
}
