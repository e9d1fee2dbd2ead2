//! The field of a mission: entries that its agents share.

mod field_inject;
mod field_query;
mod field_stability;
mod mission;
mod view;

use toolcrib_engine::Action;

/// Returns the actions of this category, in the order of the catalogue.
pub fn actions() -> Vec<Action> {
    vec![
        Action::read(field_query::FieldQuery),
        Action::write(field_inject::FieldInject),
        Action::read(field_stability::FieldStability),
    ]
}
