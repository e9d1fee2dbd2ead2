//! Lists the threads of ideas of a project.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::{Ref, actor, page},
    tables::threads::{self, ListedThread},
};

pub struct ListIdeaThreads;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListIdeaThreads {
    type Input = Input;
    type Output = Page<ListedThread>;

    fn spec() -> Spec {
        permissions::read("game_list_idea_threads")
            .describe("List the idea threads of a game project, newest first, each with the number of unread messages.")
            .tags(&["game", "idea", "thread", "discussion", "unread", "overview"])
            .examples(&["Are there new ideas for the game?", "List the idea threads", "What have I not read yet?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<ListedThread>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?;
        let rows = threads::list(cx.tx, project.id, actor(cx.caller), cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.row.created_at, id: row.row.id }))
    }

    fn describe(_: &Input, page: &Page<ListedThread>) -> String {
        format!("Found {}", count(page.items.len(), "idea thread"))
    }
}
