//! Exports of a project.

mod generate_export;
mod list_exports;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![Action::paged(list_exports::ListExports), Action::write(generate_export::GenerateExport)]
}
