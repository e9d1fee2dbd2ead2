//! A task as callers see it, and the enums of its fields.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Tx, WriteTx, tasks,
    tasks::{TaskHistoryRow, TaskRow},
};

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

/// A task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskView {
    /// ID.
    pub id: Id,
    /// Title.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub title: String,
    /// Instructions in plain text.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub description: String,
    /// `urgent`, `high`, `medium` or `low`.
    #[schemars(extend("x-ours" = true))]
    pub priority: String,
    /// `inbox`, `assigned`, `in_progress`, `review`, `blocked` or `done`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// ID of the assigned agent.
    pub agent_id: Option<Id>,
    /// Name of the agent; null if there is none or it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// ID of the parent task.
    pub parent_task_id: Option<Id>,
    /// Tags.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub tags: Vec<String>,
    /// Due time.
    pub due_at: Option<Ts>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
    /// Time of completion; null if the task is not done.
    pub done_at: Option<Ts>,
}

impl From<TaskRow> for TaskView {
    fn from(row: TaskRow) -> Self {
        Self {
            id: row.id,
            title: row.title,
            description: row.description,
            priority: row.priority,
            status: row.status,
            agent_id: row.agent_id,
            agent_name: row.agent_name,
            parent_task_id: row.parent_id,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            due_at: row.due_at.map(Ts::from_micros),
            created_at: row.created_at,
            updated_at: row.updated_at,
            done_at: row.done_at.map(Ts::from_micros),
        }
    }
}

/// One step of a task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepView {
    /// `created`, `assigned` or `moved`.
    #[schemars(extend("x-ours" = true))]
    pub event: String,
    /// The status before; null at creation.
    #[schemars(extend("x-ours" = true))]
    pub from_status: Option<String>,
    /// The status after.
    #[schemars(extend("x-ours" = true))]
    pub to_status: String,
    /// ID of the agent assigned after the step.
    pub agent_id: Option<Id>,
    /// Note of the caller.
    #[schemars(extend("x-ours" = true))]
    pub note: Option<String>,
    /// `user`, `agent` or `service`.
    #[schemars(extend("x-ours" = true))]
    pub actor_kind: String,
    /// ID of the actor.
    pub actor_id: Id,
    /// Time of the step.
    pub occurred_at: Ts,
}

impl From<TaskHistoryRow> for StepView {
    fn from(row: TaskHistoryRow) -> Self {
        Self {
            event: row.event,
            from_status: row.from_status,
            to_status: row.to_status,
            agent_id: row.agent_id,
            note: row.note,
            actor_kind: row.actor_kind,
            actor_id: row.actor_id,
            occurred_at: row.occurred_at,
        }
    }
}

/// A task after a change that may have been none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangedTask {
    /// Task after the call.
    #[serde(flatten)]
    pub task: TaskView,
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
