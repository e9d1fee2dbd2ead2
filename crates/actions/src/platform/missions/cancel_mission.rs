//! Cancels a mission and its open tasks.

use toolcrib_engine::prelude::*;
use toolcrib_model::RunKind;
use toolcrib_store::{
    assistant_runs, missions,
    missions::{MissionRow, MissionTaskRow},
};

use super::view::{MissionView, mission, short};

pub struct CancelMission;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the mission.
    pub mission_id: Id,
    /// Reason.
    pub reason: Option<String>,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Mission after the call.
    #[serde(flatten)]
    pub mission: MissionView,
    /// Whether the call cancelled it; false if it was already cancelled.
    pub changed: bool,
    /// Number of closed tasks.
    pub closed_tasks: u64,
}

impl WriteAction for CancelMission {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_cancel_mission", Category::Missions, Permission::MISSIONS_USE)
            .confirm_simple("The mission ends, its open tasks are closed, and it can't be resumed.")
            .describe("Cancel a mission for good and close its open tasks. A person must approve.")
            .tags(&["mission", "stop", "abort", "end"])
            .examples(&["Cancel the launch mission"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = mission(cx.tx, input.mission_id).await?;
        may_end(&row)?;
        let open = missions::tasks(cx.tx, row.id).await?.iter().filter(|task| is_open(task)).count();
        Ok(Target {
            id: Some(row.id),
            label: format!("mission `{}`", short(&row.goal)),
            detail: (open > 0).then(|| count(open, "open task")),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let closed =
            missions::end(cx.tx, input.mission_id, "cancelled", input.reason.as_deref(), cx.now).await?;
        let row = mission(cx.tx, input.mission_id).await?;
        let Some(closed_tasks) = closed else {
            may_end(&row)?;
            return Ok(Output { mission: row.into(), changed: false, closed_tasks: 0 });
        };
        assistant_runs::request_stop_of(cx.tx, RunKind::Mission, row.id, cx.now).await?;
        cx.emit(
            "mission.cancelled",
            "missions:read",
            json!({ "id": row.id, "goal": short(&row.goal), "closed_tasks": closed_tasks }),
        );
        Ok(Output { mission: row.into(), changed: true, closed_tasks })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let goal = short(&output.mission.goal);
        if output.changed {
            let closed = usize::try_from(output.closed_tasks).unwrap_or(usize::MAX);
            format!("Cancelled mission `{goal}` and closed {}", count(closed, "task"))
        } else {
            format!("Nothing to change: mission `{goal}` was cancelled before")
        }
    }
}

fn may_end(row: &MissionRow) -> Result<(), ActionError> {
    if matches!(row.state.as_str(), "completed" | "failed") {
        return Err(ActionError::conflict(format!(
            "mission `{}` is {} already",
            short(&row.goal),
            row.state
        ))
        .quoting("missions"));
    }
    Ok(())
}

fn is_open(task: &MissionTaskRow) -> bool {
    matches!(task.status.as_str(), "open" | "in_progress")
}
