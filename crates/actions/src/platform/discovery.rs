//! Discovery of actions, models and datasources.

mod find_tools;
mod list_datasources;
mod list_llms;
mod list_tools;
mod tool_view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(find_tools::FindTools),
        Action::read(list_tools::ListTools),
        Action::read(list_llms::ListLlms),
        Action::paged(list_datasources::ListDatasources),
    ]
}
