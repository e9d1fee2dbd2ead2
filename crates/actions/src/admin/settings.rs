//! Operations on the settings of a workspace.

mod get;
mod input;
mod rules;
mod update;
mod view;

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_engine::Action;

pub fn operations(models: &Arc<Providers>) -> Vec<Action> {
    vec![Action::read(get::GetSettings), Action::write(update::UpdateSettings(models.clone()))]
}
