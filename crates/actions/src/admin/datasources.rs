//! Operations on datasources: the databases that `platform_query_data` may query.

mod create;
mod delete;
mod list;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListDatasources),
        Action::write(create::CreateDatasource),
        Action::write(delete::DeleteDatasource),
    ]
}
