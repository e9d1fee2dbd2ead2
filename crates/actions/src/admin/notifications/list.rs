//! Lists notifications.

use toolcrib_engine::prelude::*;
use toolcrib_store::notifications::{self, NotificationEntry};

use super::reader;
use crate::shared::page;

pub struct ListNotifications;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `true`: only those that you have not read and that have not ended; `false`: only the others.
    pub unread: Option<bool>,
    /// Maximum number of rows.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    #[schemars(length(min = 1, max = 64))]
    pub cursor: Option<String>,
}

impl ReadAction for ListNotifications {
    type Input = Input;
    type Output = Page<NotificationEntry>;

    fn spec() -> Spec {
        Spec::program("notifications.list", Level::Read, Permission::NOTIFICATIONS_READ)
            .describe("List your notifications, newest first. Admins also see those for admins.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<NotificationEntry>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows =
            notifications::list(cx.tx, reader(cx.caller), input.unread, cx.now, cursor, limit + 1).await?;
        let key = |row: &NotificationEntry| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &Input, page: &Page<NotificationEntry>) -> String {
        format!("Found {}", count(page.items.len(), "notification"))
    }
}
