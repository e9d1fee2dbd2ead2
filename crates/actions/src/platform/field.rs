//! The field of a mission: entries that its agents share.

mod field_inject;
mod field_query;
mod field_stability;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(field_query::FieldQuery),
        Action::write(field_inject::FieldInject),
        Action::read(field_stability::FieldStability),
    ]
}
