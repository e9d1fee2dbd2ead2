//! Actions on the reports that agents submit.

mod get_latest_report;
mod submit_report;
mod view;

use toolcrib_engine::Action;

/// Returns the actions of this category, in the order of the catalogue.
pub fn actions() -> Vec<Action> {
    vec![Action::write(submit_report::SubmitReport), Action::read(get_latest_report::GetLatestReport)]
}
