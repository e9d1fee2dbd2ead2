//! List rows of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::{Cursor, Page};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::audit;

use super::{filter::FilterInput, view::EntryView};
use crate::shared::paging::page;

/// The operation.
pub struct ListAudit;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Which rows.
    #[serde(flatten)]
    pub filter: FilterInput,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl ReadAction for ListAudit {
    const SPEC: Spec = Spec::program("audit.list", Level::Read, Permission::AUDIT_READ)
        .describe("List rows of the workspace's audit log, newest first, by any of their fields.");
    type Input = Input;
    type Output = Page<EntryView>;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<EntryView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = audit::list(cx.tx, &(&input.filter).into(), cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.occurred_at, id: row.id })
            .map(EntryView::from))
    }

    fn describe(_: &Input, page: &Page<EntryView>) -> String {
        format!("Found {} rows of the audit log", page.items.len())
    }
}
