//! Lists the messages of a thread. Marks nothing as read.

use toolcrib_engine::prelude::*;

use crate::{
    find, permissions, project,
    shared::{Ref, page},
    tables::threads::{self, FIRST, MessageRow},
};

pub struct GetThreadMessages;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID.
    pub thread: Id,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for GetThreadMessages {
    type Input = Input;
    type Output = Page<MessageRow>;

    fn spec() -> Spec {
        permissions::read("game_get_thread_messages")
            .describe("List the messages of an idea thread, oldest first. Marks nothing as read.")
            .tags(&["game", "idea", "thread", "messages", "discussion"])
            .examples(&["Read the thread about combat", "What was said in that thread?", "Show the messages"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<MessageRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let cursor = if input.cursor.is_some() { cursor } else { FIRST };
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let thread = find::thread(cx.tx, project, input.thread).await?;
        let rows = threads::messages(cx.tx, project, thread.id, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, MessageRow::position))
    }

    fn describe(_: &Input, page: &Page<MessageRow>) -> String {
        format!("Found {}", count(page.items.len(), "message"))
    }
}
