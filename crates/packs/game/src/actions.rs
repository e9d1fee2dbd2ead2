//! The actions, by room.

mod brainstorms;
mod dependencies;
mod exports;
mod ideas;
mod plans;
mod projects;
mod systems;

use toolcrib_engine::Action;

/// Returns every action, in the order of the catalogue.
pub fn all() -> Vec<Action> {
    let mut all = projects::actions();
    all.extend(systems::actions());
    all.extend(brainstorms::actions());
    all.extend(dependencies::actions());
    all.extend(plans::actions());
    all.extend(ideas::actions());
    all.extend(exports::actions());
    all
}
