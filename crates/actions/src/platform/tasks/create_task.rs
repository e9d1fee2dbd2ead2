//! Creates a task on the board.

use toolcrib_engine::prelude::*;
use toolcrib_store::tasks::{self, TaskRow};

use super::{
    transitions::{self, Status},
    view::{self, Priority},
};
use crate::shared::refs::{self, Ref};

pub struct CreateTask;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title.
    pub title: String,
    /// Instructions.
    #[schemars(length(min = 1, max = 8000))]
    pub description: String,
    /// Priority. Default: `medium`.
    #[schemars(extend("x-plain-words" = true))]
    pub priority: Option<Priority>,
    /// ID or exact name of the assigned agent. Default: none.
    pub agent: Option<Ref>,
    /// ID of the parent task.
    pub parent_task_id: Option<Id>,
    /// Due time.
    pub due_at: Option<Ts>,
    /// Tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
}

impl WriteAction for CreateTask {
    type Input = Input;
    type Output = TaskRow;

    fn spec() -> Spec {
        Spec::write("platform_create_task", Category::Tasks, Permission::TASKS_USE).creates()
            .promoted_unattended()
            .describe("Create a task on the board, assigned where an agent is named. Not for work at set times: schedule_task.")
            .tags(&["task", "todo", "ticket", "assign", "new"])
            .examples(&["Add a task for the Researcher to compare prices", "Put fixing the login page on the board"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let mut target = Target { label: format!("task `{}`", input.title), ..Target::default() };
        if let Some(agent) = &mut input.agent {
            let row = refs::agent(cx.tx, agent).await?;
            *agent = row.id.into();
            target = target.naming("agent", &row.name);
        }
        if let Some(parent) = input.parent_task_id {
            view::find(cx.tx, parent).await?;
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<TaskRow, ActionError> {
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?;
        if let Some(parent) = input.parent_task_id {
            view::find(cx.tx, parent).await?;
        }
        let status = if agent.is_some() { Status::Assigned } else { Status::Inbox };
        let row = TaskRow {
            id: cx.new_id(),
            title: input.title.clone(),
            description: input.description.clone(),
            priority: input.priority.unwrap_or_default().as_str().to_owned(),
            status: status.as_str().to_owned(),
            agent_id: agent.as_ref().map(|agent| agent.id),
            agent_name: agent.map(|agent| agent.name),
            parent_id: input.parent_task_id,
            tags: input.tags.clone().unwrap_or_default(),
            due_at: input.due_at,
            version: 1,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            updated_at: cx.now,
            done_at: None,
        };
        tasks::insert(cx.tx, &row).await?;
        transitions::add_history_entry(cx, &row, "created", None, None).await?;
        cx.emit(
            "task.created",
            "tasks:read",
            json!({ "id": row.id, "title": row.title, "status": row.status, "agent_id": row.agent_id }),
        );
        Ok(row)
    }

    fn describe(_: &Input, task: &TaskRow) -> String {
        match &task.agent_name {
            Some(agent) => format!("Created task `{}` for agent `{agent}`", task.title),
            None => format!("Created task `{}`", task.title),
        }
    }
}
