//! Operations on the caller.

mod get;

use toolcrib_engine::Action;

/// Returns the operations about oneself, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::read(get::GetMe)]
}
