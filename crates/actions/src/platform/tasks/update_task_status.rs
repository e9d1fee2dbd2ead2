//! Changes the status of a task.

use toolcrib_engine::prelude::*;

use super::{
    transitions::{self, Status},
    view::{self, ChangedTask},
};

pub struct UpdateTaskStatus;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the task.
    pub task_id: Id,
    /// New status; `inbox` removes the assigned agent.
    pub status: Status,
    /// Reason for the change, or result of the work.
    #[schemars(length(min = 1, max = 2000))]
    pub note: Option<String>,
}

impl WriteAction for UpdateTaskStatus {
    type Input = Input;
    type Output = ChangedTask;

    fn spec() -> Spec {
        Spec::write("platform_update_task_status", Category::Tasks, Permission::TASKS_USE)
            .promoted_unattended()
            .describe("Move a task to another status, with a note. An invalid move is refused with the list of valid statuses.")
            .tags(&["task", "status", "done", "finish", "blocked", "progress"])
            .examples(&["Mark that task as done", "That task is blocked: the supplier does not answer"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = view::find(cx.tx, input.task_id).await?;
        let from = Status::parse(&row.status)?;
        if from != input.status {
            transitions::check_transition(from, input.status)?;
        }
        let label = format!("task `{}`", row.title);
        Ok(Target { id: Some(row.id), label, version: Some(row.version), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ChangedTask, ActionError> {
        let mut row = view::lock(cx.tx, input.task_id).await?;
        let from = Status::parse(&row.status)?;
        if from == input.status {
            return Ok(ChangedTask { task: row, changed: false });
        }
        transitions::check_transition(from, input.status)?;
        input.status.as_str().clone_into(&mut row.status);
        if input.status == Status::Inbox {
            (row.agent_id, row.agent_name) = (None, None);
        }
        transitions::update(cx, &mut row, "moved", from, input.note.clone()).await?;
        cx.emit(
            "task.moved",
            "tasks:read",
            json!({ "id": row.id, "title": row.title, "from": from, "to": input.status, "agent_id": row.agent_id }),
        );
        Ok(ChangedTask { task: row, changed: true })
    }

    fn describe(_: &Input, output: &ChangedTask) -> String {
        if output.changed {
            format!("Task `{}` is now {}", output.task.title, output.task.status)
        } else {
            format!("Nothing to change: task `{}` is {} already", output.task.title, output.task.status)
        }
    }
}
