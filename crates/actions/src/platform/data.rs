//! Queries of databases that an admin registered.

mod query_data;

use toolcrib_engine::Action;

/// Returns the actions of this category, in the order of the catalogue.
pub fn actions() -> Vec<Action> {
    vec![Action::external(query_data::QueryData::default())]
}
