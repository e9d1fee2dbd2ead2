//! Lists the threads of the caller.

use toolcrib_engine::{prelude::*, shared::page};
use toolcrib_model::{PageArgs, RunState};
use toolcrib_store::assistant_runs::{self, ThreadRow};

use crate::view::owner;

/// Characters of a thread's first message that a list shows.
const SHOWN: usize = 80;

pub struct ListThreads;

/// A thread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThreadEntry {
    /// Name.
    pub thread: String,
    /// Beginning of its first message.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub first_message: String,
    /// Number of runs.
    pub runs: i64,
    /// Last run.
    pub last_run: Id,
    /// State of the last run.
    pub state: RunState,
    /// When the last run began.
    pub last_at: Ts,
}

impl From<ThreadRow> for ThreadEntry {
    fn from(row: ThreadRow) -> Self {
        Self {
            thread: row.thread,
            first_message: row.first_message.chars().take(SHOWN).collect(),
            runs: row.runs,
            last_run: row.last_run,
            state: row.state,
            last_at: row.last_at,
        }
    }
}

impl ReadAction for ListThreads {
    type Input = PageArgs;
    type Output = Page<ThreadEntry>;

    fn spec() -> Spec {
        Spec::program("assistant.list_threads", Level::Read, Permission::ASSISTANT_USE)
            .describe("List the caller's threads, the last used first.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Page<ThreadEntry>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = assistant_runs::threads(cx.tx, owner(cx.caller)?, cursor, limit + 1).await?;
        let key = |row: &ThreadRow| Cursor { at: row.last_at, id: row.last_run };
        Ok(Page::from_rows(rows, limit, key).map(ThreadEntry::from))
    }

    fn describe(_: &PageArgs, page: &Page<ThreadEntry>) -> String {
        format!("Found {}", count(page.items.len(), "thread"))
    }
}
