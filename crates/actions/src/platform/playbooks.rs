//! Actions on playbooks: sequences of steps that are executed repeatedly.

mod add_playbook_step;
mod create_playbook;
mod delete_playbook;
mod delete_playbook_step;
mod execute_playbook;
mod find;
mod get_playbook;
mod get_playbook_execution;
mod list_playbooks;
pub(crate) mod queue;
mod schedule;
mod steps;
mod update_playbook;
mod update_playbook_step;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_playbooks::ListPlaybooks),
        Action::read(get_playbook::GetPlaybook),
        Action::write(create_playbook::CreatePlaybook),
        Action::write(update_playbook::UpdatePlaybook),
        Action::write(add_playbook_step::AddPlaybookStep),
        Action::write(update_playbook_step::UpdatePlaybookStep),
        Action::write(delete_playbook_step::DeletePlaybookStep),
        Action::write(execute_playbook::ExecutePlaybook),
        Action::read(get_playbook_execution::GetPlaybookExecution),
        Action::write(delete_playbook::DeletePlaybook),
    ]
}
