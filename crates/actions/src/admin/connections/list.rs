//! Lists the connected apps.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;
use toolcrib_store::connections::{self, ConnectionRow};

use crate::shared::page;

pub struct ListConnections;

impl ReadAction for ListConnections {
    type Input = PageArgs;
    type Output = Page<ConnectionRow>;

    fn spec() -> Spec {
        Spec::program("connections.list", Level::Read, Permission::INTEGRATIONS_MANAGE)
            .describe("List the connected apps of the workspace, newest first.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Page<ConnectionRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = connections::list(cx.tx, cursor, limit + 1).await?;
        let key = |row: &ConnectionRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &PageArgs, page: &Page<ConnectionRow>) -> String {
        format!("Found {}", count(page.items.len(), "connection"))
    }
}
