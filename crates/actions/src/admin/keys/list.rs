//! List the workspace's keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::{Cursor, Page};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::keys;

use super::view::KeyView;
use crate::shared::paging::page;

/// The operation.
pub struct ListKeys;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl ReadAction for ListKeys {
    const SPEC: Spec = Spec::program("keys.list", Level::Read, Permission::KEYS_MANAGE)
        .describe("List the workspace's keys, newest first, revoked ones included; never their secrets.");
    type Input = Input;
    type Output = Page<KeyView>;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<KeyView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = keys::list(cx.tx, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }).map(KeyView::from))
    }

    fn describe(_: &Input, page: &Page<KeyView>) -> String {
        format!("Found {} keys", page.items.len())
    }
}
