//! Cancels a schedule.

use toolcrib_engine::prelude::*;
use toolcrib_model::RunKind;
use toolcrib_store::{assistant_runs, schedules, schedules::ScheduleRow};

use super::view::{ScheduleView, schedule, short};

pub struct CancelScheduledTask;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the scheduled task.
    pub task_id: Id,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Schedule after the call.
    #[serde(flatten)]
    pub schedule: ScheduleView,
    /// Whether the call cancelled it; false if it was already cancelled.
    pub changed: bool,
}

impl WriteAction for CancelScheduledTask {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_cancel_scheduled_task", Category::Scheduling, Permission::SCHEDULES_MANAGE)
            .confirm_simple("The task will not run again and can't be resumed.")
            .describe("Cancel a scheduled or recurring task for good. A person must approve.")
            .tags(&["schedule", "stop", "cron", "unschedule", "recurring"])
            .examples(&["Stop the Monday report"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = schedule(cx.tx, input.task_id).await?;
        may_end(&row)?;
        Ok(Target {
            id: Some(row.id),
            label: format!("scheduled task `{}`", short(&row.description)),
            detail: Some(format!("{}, {}", row.due, row.timezone)),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let changed = schedules::cancel(cx.tx, input.task_id, cx.now).await?;
        let row = schedule(cx.tx, input.task_id).await?;
        if changed {
            assistant_runs::request_stop_of(cx.tx, RunKind::Schedule, row.id, cx.now).await?;
            cx.emit(
                "schedule.cancelled",
                "schedules:read",
                json!({ "id": row.id, "agent_id": row.agent_id }),
            );
        } else {
            may_end(&row)?;
        }
        Ok(Output { schedule: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let what = short(&output.schedule.description);
        if output.changed {
            format!("Cancelled scheduled task `{what}`")
        } else {
            format!("Nothing to change: scheduled task `{what}` was cancelled before")
        }
    }
}

fn may_end(row: &ScheduleRow) -> Result<(), ActionError> {
    if matches!(row.status.as_str(), "completed" | "failed") {
        let what = short(&row.description);
        return Err(ActionError::conflict(format!("scheduled task `{what}` is {} already", row.status))
            .quoting("schedules"));
    }
    Ok(())
}
