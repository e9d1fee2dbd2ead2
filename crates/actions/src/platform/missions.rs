//! Actions on missions: goals that several agents work on.

mod cancel_mission;
mod create_mission;
mod get_mission;
mod list_missions;
mod order;
pub(crate) mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::write(create_mission::CreateMission),
        Action::paged(list_missions::ListMissions),
        Action::read(get_mission::GetMission),
        Action::write(cancel_mission::CancelMission),
    ]
}
