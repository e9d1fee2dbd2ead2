//! The transitions between statuses of tasks, and the function that stores a changed task.

use toolcrib_engine::{ActionError, WriteCx};
use toolcrib_store::{
    tasks,
    tasks::{TaskHistoryRow, TaskRow},
};

toolcrib_model::closed_set! {
    "a status",
    /// Status of a task.
    Status {
        /// Not assigned to an agent.
        Inbox = "inbox",
        /// Assigned but not begun.
        Assigned = "assigned",
        /// In work.
        InProgress = "in_progress",
        /// Waiting for review.
        Review = "review",
        /// Blocked by an obstacle.
        Blocked = "blocked",
        /// Completed.
        Done = "done",
    }
}

impl Status {
    /// Returns the statuses that may follow.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Inbox => &[Self::Assigned, Self::Done],
            Self::Assigned => &[Self::InProgress, Self::Blocked, Self::Inbox],
            Self::InProgress => &[Self::Review, Self::Blocked, Self::Done],
            Self::Review => &[Self::InProgress, Self::Done],
            Self::Blocked => &[Self::Assigned, Self::InProgress],
            Self::Done => &[Self::InProgress],
        }
    }

    pub fn parse(word: &str) -> Result<Self, ActionError> {
        word.parse().map_err(|_| ActionError::internal(format!("a task has the status `{word}`")))
    }
}

/// Returns 409 unless `to` may follow `from`. The error names the possible statuses.
pub fn check_transition(from: Status, to: Status) -> Result<(), ActionError> {
    if from.next().contains(&to) {
        return Ok(());
    }
    let possible: Vec<String> = from.next().iter().map(|next| format!("`{}`", next.as_str())).collect();
    let detail = format!("a task can't go from `{}` to `{}`", from.as_str(), to.as_str());
    Err(ActionError::conflict(format!("{detail}; possible now: {}", possible.join(", ")))
        .hint("choose one of these, or go there in several steps"))
}

/// Stores the changed row and adds an entry to the task's history.
pub async fn update(
    cx: &mut WriteCx<'_>,
    row: &mut TaskRow,
    event: &str,
    from: Status,
    note: Option<String>,
) -> Result<(), ActionError> {
    row.updated_at = cx.now;
    row.done_at = (row.status == Status::Done.as_str()).then_some(cx.now);
    if !tasks::update(cx.tx, row).await? {
        return Err(ActionError::conflict(format!(
            "task `{}` was changed by another call in the meantime",
            row.title
        ))
        .quoting("tasks")
        .hint("read it again with `platform_get_task` and try again"));
    }
    add_history_entry(cx, row, event, Some(from), note).await
}

pub async fn add_history_entry(
    cx: &mut WriteCx<'_>,
    row: &TaskRow,
    event: &str,
    from: Option<Status>,
    note: Option<String>,
) -> Result<(), ActionError> {
    let entry = TaskHistoryRow {
        id: cx.new_id(),
        task_id: row.id,
        event: event.to_owned(),
        from_status: from.map(|status| status.as_str().to_owned()),
        to_status: row.status.clone(),
        agent_id: row.agent_id,
        note,
        actor_kind: cx.caller.principal.kind().as_str().to_owned(),
        actor_id: cx.caller.principal.id(),
        occurred_at: cx.now,
    };
    Ok(tasks::add_entry(cx.tx, &entry).await?)
}
