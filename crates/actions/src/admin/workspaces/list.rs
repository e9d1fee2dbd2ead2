//! Lists the caller's workspaces, and for system admins all.

use toolcrib_engine::prelude::*;
use toolcrib_store::lookup::Membership;

use super::view::{all, mine};
use crate::shared::page;

pub struct ListWorkspaces;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListWorkspaces {
    type Input = Input;
    type Output = Page<Membership>;

    fn spec() -> Spec {
        Spec::program("workspaces.list", Level::Read, Permission::WORKSPACE_READ).open().describe(
            "List the workspaces in which the caller is a member, newest first, each with the role there. A system admin gets \
             all workspaces.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<Membership>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let mut rows = if cx.caller.system_admin { all(cx).await? } else { mine(cx).await? };
        rows.retain(|row| (row.created_at, row.id) < (cursor.at, cursor.id));
        rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.created_at, row.id)));
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<Membership>) -> String {
        format!("Found {}", count(page.items.len(), "workspace"))
    }
}
