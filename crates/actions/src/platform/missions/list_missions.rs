//! Lists the workspace's missions.

use toolcrib_engine::prelude::*;
use toolcrib_store::missions::{self, MissionSummaryRow};

use super::view::{MissionState, MissionView};
use crate::shared::page;

pub struct ListMissions;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only missions in this state.
    #[schemars(extend("x-plain-words" = true))]
    pub state: Option<MissionState>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A mission in the list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The mission.
    #[serde(flatten)]
    pub mission: MissionView,
    /// How many tasks it has.
    pub tasks: i64,
    /// How many of them are done.
    pub tasks_done: i64,
}

impl ReadAction for ListMissions {
    type Input = Input;
    type Output = Page<Item>;

    fn spec() -> Spec {
        Spec::read("platform_list_missions", Category::Missions, Permission::MISSIONS_READ)
            .describe("List missions with state, budget and how many tasks are done. For one with its tasks use get_mission.")
            .tags(&["mission", "goal", "project", "overview", "progress"])
            .examples(&["Which missions are running?", "What waits for approval?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<Item>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let state = input.state.map(MissionState::as_str);
        let rows = missions::list(cx.tx, state, cursor, limit + 1).await?;
        let key = |row: &MissionSummaryRow| Cursor { at: row.mission.created_at, id: row.mission.id };
        Ok(Page::from_rows(rows, limit, key).map(|row| Item {
            mission: row.mission.into(),
            tasks: row.tasks,
            tasks_done: row.tasks_done,
        }))
    }

    fn describe(_: &Input, page: &Page<Item>) -> String {
        format!("Found {}", count(page.items.len(), "mission"))
    }
}
