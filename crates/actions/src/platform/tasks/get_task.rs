//! Gets one task with its subtasks and history.

use toolcrib_engine::prelude::*;
use toolcrib_store::tasks::{self, TaskHistoryRow, TaskRow};

use super::{transitions::Status, view};

/// The maximum number of subtasks and of history entries in the output.
const SHOWN: i64 = 100;

pub struct GetTask;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the task.
    pub task_id: Id,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The task.
    #[serde(flatten)]
    pub task: TaskRow,
    /// Valid next statuses.
    #[schemars(extend("x-ours" = true))]
    pub possible: Vec<&'static str>,
    /// Subtasks, oldest first; at most 100.
    pub subtasks: Vec<TaskRow>,
    /// History, newest first; at most 100.
    pub history: Vec<TaskHistoryRow>,
}

impl ReadAction for GetTask {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_task", Category::Tasks, Permission::TASKS_READ)
            .promoted_unattended()
            .describe("Get one task with its subtasks, its history and the statuses it may get next.")
            .tags(&["task", "todo", "ticket", "details", "history"])
            .examples(&["Show me that task and what happened to it"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = view::find(cx.tx, input.task_id).await?;
        let possible = Status::parse(&row.status)?.next().iter().map(|status| status.as_str()).collect();
        let subtasks = tasks::subtasks(cx.tx, row.id, SHOWN).await?;
        let history = tasks::entries(cx.tx, row.id, SHOWN).await?;
        Ok(Output { task: row, possible, subtasks, history })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Task `{}` is {}", output.task.title, output.task.status)
    }
}
