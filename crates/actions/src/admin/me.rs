//! Who the caller is.

mod get;

use toolcrib_engine::Action;

/// The operations about oneself, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::read::<get::GetMe>()]
}
