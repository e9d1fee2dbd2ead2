//! Actions on schedules: tasks that agents do later, once or repeatedly.

mod cancel_scheduled_task;
mod list_scheduled_tasks;
mod schedule_task;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::write(schedule_task::ScheduleTask),
        Action::paged(list_scheduled_tasks::ListScheduledTasks),
        Action::write(cancel_scheduled_task::CancelScheduledTask),
    ]
}
