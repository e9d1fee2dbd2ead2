//! Lists the tasks on the board.

use toolcrib_engine::prelude::*;
use toolcrib_store::tasks::{self, TaskFilter, TaskRow};

use super::{transitions::Status, view::Priority};
use crate::shared::{
    page,
    refs::{self, Ref},
};

pub struct ListTasks;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only tasks with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<Status>,
    /// Only tasks with this priority.
    #[schemars(extend("x-plain-words" = true))]
    pub priority: Option<Priority>,
    /// Only tasks of this agent: ID or exact name.
    pub agent: Option<Ref>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListTasks {
    type Input = Input;
    type Output = Page<TaskRow>;

    fn spec() -> Spec {
        Spec::read("platform_list_tasks", Category::Tasks, Permission::TASKS_READ)
            .promoted_unattended()
            .describe("List the tasks on the board, newest first, by status, priority or agent. For counts: board_summary.")
            .tags(&["task", "todo", "ticket", "board", "work"])
            .examples(&["Which tasks are blocked?", "What does the Researcher have to do?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<TaskRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let agent_id = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let filter = TaskFilter {
            status: input.status.map(|status| status.as_str().to_owned()),
            priority: input.priority.map(|priority| priority.as_str().to_owned()),
            agent_id,
        };
        let rows = tasks::list(cx.tx, &filter, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<TaskRow>) -> String {
        format!("Found {}", count(page.items.len(), "task"))
    }
}
