//! Approves a mission, so that work on its tasks begins.

use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_assistant::background;
use toolcrib_engine::prelude::*;
use toolcrib_model::WorkRunner;
use toolcrib_store::missions::{self, MissionRow};

use crate::{
    admin::guard::forbidden,
    platform::missions::view::{MissionView, mission, short},
};

pub struct StartMission;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the mission.
    pub id: Id,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Mission after the call.
    #[serde(flatten)]
    pub mission: MissionView,
    /// Whether the call started it; false if it was running.
    pub changed: bool,
}

impl WriteAction for StartMission {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("missions.start", Level::Write, Permission::MISSIONS_MANAGE).standing_work().describe(
            "Start a mission that awaits approval. Runtimes learn it from the event `mission.started`; with the setting \
             `runner: internal` the assistant does its tasks, as whoever created it, and only a person can start \
             it.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = mission(cx.tx, input.id).await?;
        may_start(&row)?;
        if row.state == "awaiting_approval" {
            check_person(cx.caller, cx.policy)?;
        }
        let label = format!("mission `{}`", short(&row.goal));
        Ok(Target { id: Some(row.id), label, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let changed = missions::start(cx.tx, input.id, cx.now).await?;
        let row = mission(cx.tx, input.id).await?;
        may_start(&row)?;
        if changed {
            check_person(cx.caller, cx.policy)?;
            let mut data = json!({ "id": row.id, "goal": short(&row.goal) });
            let is_internal = cx.policy.runner == WorkRunner::Internal;
            if is_internal {
                background::mark(&mut data);
            }
            cx.emit("mission.started", "missions:read", data);
            if is_internal {
                let stamp = cx.stamp();
                background::mission::begin(cx.tx, stamp, &row).await?;
            }
        }
        Ok(Output { mission: row.into(), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let goal = short(&output.mission.goal);
        if output.changed {
            format!("Started mission `{goal}`")
        } else {
            format!("Nothing to change: mission `{goal}` is running")
        }
    }
}

/// Refuses to start work of the assistant for a key: a person confirms each call that does, and an operation can't wait
/// for one.
fn check_person(caller: &Caller, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    if policy.runner == WorkRunner::External || matches!(caller.principal, Principal::User { .. }) {
        return Ok(());
    }
    let detail = "with the setting `runner: internal` only a person with their own token can start a mission";
    Err(forbidden(detail).hint(
        "ask a person to start it, or call `platform_create_mission` with `auto_start`, which waits for a person",
    ))
}

/// Refuses to start a mission that has ended.
fn may_start(row: &MissionRow) -> Result<(), ActionError> {
    if matches!(row.state.as_str(), "awaiting_approval" | "running") {
        return Ok(());
    }
    let detail = format!("mission `{}` is {} and can't be started", short(&row.goal), row.state);
    Err(ActionError::conflict(detail).hint("create another mission").quoting("missions"))
}
