//! Reports: what agents hand in.

mod get_latest_report;
mod submit_report;
mod view;

use toolcrib_engine::Action;

/// The actions of this category, in order.
pub fn actions() -> Vec<Action> {
    vec![Action::write::<submit_report::SubmitReport>(), Action::read::<get_latest_report::GetLatestReport>()]
}
