//! Actions on tasks: the board that people and agents share.

mod assign_task;
mod board_summary;
mod create_task;
mod get_task;
mod list_tasks;
mod transitions;
mod update_task_status;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::write(create_task::CreateTask),
        Action::paged(list_tasks::ListTasks),
        Action::read(board_summary::BoardSummary),
        Action::read(get_task::GetTask),
        Action::write(assign_task::AssignTask),
        Action::write(update_task_status::UpdateTaskStatus),
    ]
}
