//! A task by its ID, and the priorities of tasks.

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, WriteTx, tasks, tasks::TaskRow};

toolcrib_model::closed_set! {
    "a priority",
    /// Priority of a task.
    #[derive(Default)]
    Priority {
        /// First of all.
        Urgent = "urgent",
        /// Soon.
        High = "high",
        /// Normal order.
        #[default]
        Medium = "medium",
        /// After all other tasks.
        Low = "low",
    }
}

/// A task after a change that may have been none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangedTask {
    /// Task after the call.
    #[serde(flatten)]
    pub task: TaskRow,
    /// Whether the call changed anything.
    pub changed: bool,
}

/// Returns the task with this ID, or 404.
pub async fn find(tx: &mut Tx, id: Id) -> Result<TaskRow, ActionError> {
    tasks::get(tx, id).await?.ok_or_else(|| not_found(id))
}

/// Returns the task with this ID, or 404. Other calls that change it wait until this one ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<TaskRow, ActionError> {
    tasks::lock(tx, id).await?.ok_or_else(|| not_found(id))
}

fn not_found(id: Id) -> ActionError {
    ActionError::not_found("task", &id.to_string()).hint("`platform_list_tasks` lists them")
}
