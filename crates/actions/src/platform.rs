//! The catalogue's actions, by category.

mod agents;
mod analytics;
mod chat;
mod data;
mod discovery;
mod documents;
mod field;
mod governance;
mod infrastructure;
mod integrations;
mod marketplace;
mod memory;
pub(crate) mod missions;
pub(crate) mod playbooks;
mod reports;
mod scheduling;
mod tasks;
mod workspace;

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_connectors::{Connectors, embedded::Platform};
use toolcrib_engine::Action;

pub use infrastructure::Inbox;

/// The services that external actions use.
#[derive(Clone, Default)]
pub struct Infrastructure {
    /// What this service observes about itself.
    pub platform: Arc<Platform>,
    /// The configured external services. If one is configured, actions query it instead of `platform`.
    pub connectors: Connectors,
    /// Alerts that an Alertmanager delivers, if its webhook is configured.
    pub inbox: Option<Inbox>,
    /// The models that runs of the assistant may use.
    pub models: Arc<Providers>,
}

/// Returns every action, in the order of the catalogue.
pub fn actions(services: &Infrastructure) -> Vec<Action> {
    let mut all = Vec::new();
    all.extend(agents::actions(&services.models));
    all.extend(playbooks::actions());
    all.extend(analytics::actions());
    all.extend(data::actions());
    all.extend(governance::actions());
    all.extend(tasks::actions());
    all.extend(marketplace::actions());
    all.extend(workspace::actions());
    all.extend(memory::actions());
    all.extend(integrations::actions());
    all.extend(chat::actions());
    all.extend(documents::actions());
    all.extend(discovery::actions());
    all.extend(scheduling::actions());
    all.extend(reports::actions());
    all.extend(field::actions());
    all.extend(missions::actions());
    all.extend(infrastructure::actions(services));
    all
}
