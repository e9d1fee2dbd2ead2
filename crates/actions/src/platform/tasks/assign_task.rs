//! Assigns a task to an agent.

use toolcrib_engine::prelude::*;

use super::{
    transitions::{self, Status},
    view::{self, ChangedTask},
};
use crate::shared::refs::{self, Ref};

pub struct AssignTask;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the task.
    pub task_id: Id,
    /// ID or exact name.
    pub agent: Ref,
}

impl WriteAction for AssignTask {
    type Input = Input;
    type Output = ChangedTask;

    fn spec() -> Spec {
        Spec::write("platform_assign_task", Category::Tasks, Permission::TASKS_USE)
            .promoted_unattended()
            .describe(
                "Give a task to an agent. A task in the inbox becomes assigned; any other keeps its status.",
            )
            .tags(&["task", "assign", "delegate", "agent", "hand over"])
            .examples(&["Give that task to the Researcher"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = view::find(cx.tx, input.task_id).await?;
        let agent = refs::agent(cx.tx, &input.agent).await?;
        input.agent = agent.id.into();
        let label = format!("task `{}`", row.title);
        let target = Target { id: Some(row.id), label, version: Some(row.version), ..Target::default() };
        Ok(target.naming("agent", &agent.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ChangedTask, ActionError> {
        let mut row = view::lock(cx.tx, input.task_id).await?;
        let agent = refs::agent(cx.tx, &input.agent).await?;
        let from = Status::parse(&row.status)?;
        if row.agent_id == Some(agent.id) && from != Status::Inbox {
            return Ok(ChangedTask { task: row, changed: false });
        }
        row.agent_id = Some(agent.id);
        row.agent_name = Some(agent.name);
        if from == Status::Inbox {
            Status::Assigned.as_str().clone_into(&mut row.status);
        }
        transitions::update(cx, &mut row, "assigned", from, None).await?;
        cx.emit(
            "task.assigned",
            "tasks:read",
            json!({ "id": row.id, "title": row.title, "agent_id": row.agent_id, "status": row.status }),
        );
        Ok(ChangedTask { task: row, changed: true })
    }

    fn describe(_: &Input, output: &ChangedTask) -> String {
        let agent = output.task.agent_name.as_deref().unwrap_or("nobody");
        if output.changed {
            format!("Assigned task `{}` to agent `{agent}`", output.task.title)
        } else {
            format!("Nothing to change: agent `{agent}` has task `{}` already", output.task.title)
        }
    }
}
