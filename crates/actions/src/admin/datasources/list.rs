//! Lists the datasources of the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;
use toolcrib_store::datasources::{self, DatasourceRow};

use crate::shared::page;

pub struct ListDatasources;

impl ReadAction for ListDatasources {
    type Input = PageArgs;
    type Output = Page<DatasourceRow>;

    fn spec() -> Spec {
        Spec::program("datasources.list", Level::Read, Permission::SETTINGS_MANAGE)
            .describe("List the registered databases, newest first, without their connection strings.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Page<DatasourceRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = datasources::list(cx.tx, cursor, limit + 1).await?;
        let key = |row: &datasources::DatasourceRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &PageArgs, page: &Page<DatasourceRow>) -> String {
        format!("Found {}", count(page.items.len(), "datasource"))
    }
}
