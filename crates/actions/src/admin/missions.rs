//! Operations on missions beside the actions that models call.

mod start;

use toolcrib_engine::Action;

/// Returns the operations on missions, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::write(start::StartMission)]
}
