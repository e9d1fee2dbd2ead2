//! Lists the workspace's memories.

use toolcrib_engine::prelude::*;
use toolcrib_store::memories::{self, MemoryRow};

use crate::shared::{
    page,
    refs::{self, Ref},
};

pub struct BrowseMemories;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only items of this agent: ID or exact name.
    pub agent: Option<Ref>,
    /// Only with exactly this tag.
    #[schemars(length(min = 1, max = 50))]
    pub tag: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for BrowseMemories {
    type Input = Input;
    type Output = Page<MemoryRow>;

    fn spec() -> Spec {
        Spec::read("platform_browse_memories", Category::Memory, Permission::MEMORY_READ)
            .describe("List memories, newest first, of all or one agent, or with one tag. To find words use search_memory.")
            .tags(&["memory", "list", "notes", "recent", "tag"])
            .examples(&["What was remembered lately?", "Show the notes of the Researcher"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<MemoryRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let rows = memories::list(cx.tx, agent, input.tag.as_deref(), cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<MemoryRow>) -> String {
        format!("Found {}", count(page.items.len(), "memory"))
    }
}
