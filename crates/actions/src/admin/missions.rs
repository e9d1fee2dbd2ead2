//! Operations on missions beside the actions that models call.

mod start;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![Action::write(start::StartMission)]
}
