//! Operations on the caller.

mod get;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![Action::read(get::GetMe)]
}
