//! Lists the webhooks of the workspace.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;
use toolcrib_store::webhooks::{self, WebhookRow};

use crate::shared::page;

pub struct ListWebhooks;

impl ReadAction for ListWebhooks {
    type Input = PageArgs;
    type Output = Page<WebhookRow>;

    fn spec() -> Spec {
        Spec::program("webhooks.list", Level::Read, Permission::SETTINGS_MANAGE)
            .describe("List the workspace's webhooks, newest first; never their secrets.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &PageArgs) -> Result<Page<WebhookRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = webhooks::list(cx.tx, cursor, limit + 1).await?;
        let key = |row: &WebhookRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &PageArgs, page: &Page<WebhookRow>) -> String {
        format!("Found {}", count(page.items.len(), "webhook"))
    }
}
