//! Access reports: who may call which actions, and why.

mod explain;
mod matrix;
mod report;
mod scopes;
pub(crate) mod words;

use toolcrib_engine::Action;

/// Returns the operations on access, in order.
pub fn operations() -> Vec<Action> {
    vec![
        Action::read::<report::AccessReport>(),
        Action::read::<matrix::AccessMatrix>(),
        Action::read::<explain::ExplainAccess>(),
        Action::read::<scopes::ListScopes>(),
    ]
}
