//! Gets one mission with its tasks, progress and spend.

use toolcrib_engine::prelude::*;

use super::view::{MissionDetail, mission, short};

pub struct GetMission;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the mission.
    pub mission_id: Id,
}

impl ReadAction for GetMission {
    type Input = Input;
    type Output = MissionDetail;

    fn spec() -> Spec {
        Spec::read("platform_get_mission", Category::Missions, Permission::MISSIONS_READ)
            .describe(
                "Get one mission: its tasks in the order they can be done, progress, and what it used so far.",
            )
            .tags(&["mission", "details", "progress", "tasks", "spend"])
            .examples(&["How far is the launch mission?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<MissionDetail, ActionError> {
        let row = mission(cx.tx, input.mission_id).await?;
        MissionDetail::read(cx.tx, row).await
    }

    fn describe(_: &Input, detail: &MissionDetail) -> String {
        let (mission, progress) = (&detail.mission, &detail.progress);
        format!(
            "Mission `{}`: {}, {} of {} done",
            short(&mission.goal),
            mission.state,
            progress.done,
            progress.total
        )
    }
}
