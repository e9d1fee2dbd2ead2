//! Access reports: who may call which actions, and why, and which tool list they get.

mod explain;
mod matrix;
mod report;
mod scopes;
mod tools;
pub(crate) mod words;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::read(report::AccessReport),
        Action::read(matrix::AccessMatrix),
        Action::read(explain::ExplainAccess),
        Action::read(scopes::ListScopes),
        Action::read(tools::AccessTools),
    ]
}
