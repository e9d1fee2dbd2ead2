//! Lists the workspace's schedules.

use toolcrib_engine::prelude::*;
use toolcrib_store::schedules;

use super::view::{ScheduleStatus, ScheduleView};
use crate::shared::{
    page,
    refs::{self, Ref},
};

pub struct ListScheduledTasks;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only schedules with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<ScheduleStatus>,
    /// Only items of this agent: ID or exact name.
    pub agent: Option<Ref>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListScheduledTasks {
    type Input = Input;
    type Output = Page<ScheduleView>;

    fn spec() -> Spec {
        Spec::read("platform_list_scheduled_tasks", Category::Scheduling, Permission::SCHEDULES_READ)
            .describe(
                "List scheduled and recurring tasks with their next times. For tasks on the board use list_tasks.",
            )
            .tags(&["schedule", "cron", "recurring", "reminder", "upcoming"])
            .examples(&["What runs every Monday?", "Which reminders are set?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<ScheduleView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let status = input.status.map(ScheduleStatus::as_str);
        let rows = schedules::list(cx.tx, status, agent, cursor, limit + 1).await?;
        let key = |row: &schedules::ScheduleRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key).map(ScheduleView::from))
    }

    fn describe(_: &Input, page: &Page<ScheduleView>) -> String {
        format!("Found {}", count(page.items.len(), "scheduled task"))
    }
}
