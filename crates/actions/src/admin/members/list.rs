//! Lists the workspace's members.

use toolcrib_engine::prelude::*;
use toolcrib_store::members::{self, MemberRow};

use crate::shared::page;

pub struct ListMembers;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only the member with this `sub`.
    pub subject: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListMembers {
    type Input = Input;
    type Output = Page<MemberRow>;

    fn spec() -> Spec {
        Spec::program("members.list", Level::Read, Permission::MEMBERS_READ)
            .describe("List the workspace's members, newest first, inactive ones included.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<MemberRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = members::list(cx.tx, input.subject.as_deref(), cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.user_id }))
    }

    fn describe(_: &Input, page: &Page<MemberRow>) -> String {
        format!("Found {}", count(page.items.len(), "member"))
    }
}
