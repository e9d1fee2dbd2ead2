//! The catalogue's actions, by category.

mod agents;
mod field;
mod marketplace;
mod memory;
mod workspace;

use toolcrib_engine::Action;

/// What external actions ask.
#[derive(Clone, Default)]
pub struct Services {}

/// Every action, in the order of the catalogue.
pub fn actions(_services: &Services) -> Vec<Action> {
    [agents::actions(), marketplace::actions(), workspace::actions(), memory::actions(), field::actions()]
        .into_iter()
        .flatten()
        .collect()
}
