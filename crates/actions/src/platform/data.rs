//! Queries of databases that an admin registered.

mod query_data;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![Action::external(query_data::QueryData::default())]
}
