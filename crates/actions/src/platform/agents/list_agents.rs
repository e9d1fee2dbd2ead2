//! Lists the workspace's agents.

use toolcrib_engine::prelude::*;
use toolcrib_store::agents::{self, AgentFilter, ListedAgent};

use super::AgentStatus;
use crate::shared::page;

pub struct ListAgents;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only agents with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<AgentStatus>,
    /// Part of the name or description.
    pub search: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListAgents {
    type Input = Input;
    type Output = Page<ListedAgent>;

    fn spec() -> Spec {
        Spec::read("platform_list_agents", Category::Agents, Permission::AGENTS_READ)
            .promoted()
            .always_offered()
            .describe("List this workspace's agents with status, model and heartbeat. Use it to find an agent's id or name.")
            .tags(&["agent", "bot", "assistant", "overview", "team"])
            .examples(&["What agents do I have?", "Which bots are switched off?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<ListedAgent>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let filter = AgentFilter {
            status: input.status.map(|status| status.as_str().to_owned()),
            search: input.search.clone(),
        };
        let rows = agents::list(cx.tx, &filter, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<ListedAgent>) -> String {
        format!("Found {}", count(page.items.len(), "agent"))
    }
}
