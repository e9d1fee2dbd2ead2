//! Operations on the settings of a workspace.

mod get;
mod input;
mod rules;
mod update;
mod view;

use toolcrib_engine::Action;

/// Returns the operations on settings, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::read(get::GetSettings), Action::write(update::UpdateSettings)]
}
