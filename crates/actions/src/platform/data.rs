//! Queries of databases that an admin registered.

mod query_data;

use toolcrib_engine::Action;

/// The actions of this category, in order.
pub fn actions() -> Vec<Action> {
    vec![Action::external(query_data::QueryData::default())]
}
