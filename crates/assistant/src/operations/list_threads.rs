//! Lists the threads of the caller.

use toolcrib_engine::{prelude::*, shared::page};
use toolcrib_model::PageArgs;
use toolcrib_store::assistant_runs::{self, ThreadRow};

use crate::view::owner;

pub struct ListThreads;

impl ReadAction for ListThreads {
    type Input = PageArgs;
    type Output = Page<ThreadRow>;

    fn spec() -> Spec {
        Spec::program("assistant.list_threads", Level::Read, Permission::ASSISTANT_USE)
            .describe("List the caller's threads, the last used first.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Page<ThreadRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = assistant_runs::threads(cx.tx, owner(cx.caller)?, cursor, limit + 1).await?;
        let key = |row: &ThreadRow| Cursor { at: row.last_at, id: row.last_run };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &PageArgs, page: &Page<ThreadRow>) -> String {
        format!("Found {}", count(page.items.len(), "thread"))
    }
}
