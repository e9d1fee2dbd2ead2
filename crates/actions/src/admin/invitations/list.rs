//! Lists the workspace's invitations.

use toolcrib_engine::prelude::*;
use toolcrib_store::invitations;

use super::view::InvitationView;
use crate::shared::page;

pub struct ListInvitations;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Whether only those that can still be used are listed.
    pub open: Option<bool>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListInvitations {
    type Input = Input;
    type Output = Page<InvitationView>;

    fn spec() -> Spec {
        Spec::program("invitations.list", Level::Read, Permission::MEMBERS_MANAGE).describe(
            "List the workspace's invitations, newest first, with those that were used, expired in the last thirty \
             days or were revoked. Never shows codes.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<InvitationView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let open_at = input.open.unwrap_or(false).then_some(cx.now);
        let rows = invitations::list(cx.tx, open_at, cursor, limit + 1).await?;
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id });
        let items = InvitationView::all(cx.tx, page.items, cx.now).await?;
        Ok(Page { items, next_cursor: page.next_cursor, ends: page.ends })
    }

    fn describe(_: &Input, page: &Page<InvitationView>) -> String {
        format!("Found {}", count(page.items.len(), "invitation"))
    }
}
