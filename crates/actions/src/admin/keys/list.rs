//! Lists the workspace's keys.

use toolcrib_engine::prelude::*;
use toolcrib_store::minters;

use super::view::KeyView;
use crate::shared::page;

pub struct ListKeys;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListKeys {
    type Input = Input;
    type Output = Page<KeyView>;

    fn spec() -> Spec {
        Spec::program("keys.list", Level::Read, Permission::KEYS_MANAGE).describe(
            "List the workspace's keys, newest first, with the people who created each and its \
             permissions now. Includes revoked keys; never shows secrets.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<KeyView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = minters::list(cx.tx, cursor, limit + 1).await?;
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.key.created_at, id: row.key.id });
        let items = KeyView::all(cx.tx, &page.items, cx.policy).await?;
        Ok(Page { items, next_cursor: page.next_cursor, ends: page.ends })
    }

    fn describe(_: &Input, page: &Page<KeyView>) -> String {
        format!("Found {}", count(page.items.len(), "key"))
    }
}
