//! Lists the session grants of a workspace.

use toolcrib_engine::{grants::GrantView, prelude::*};

use crate::shared::page;

pub struct ListGrants;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only grants of this conversation.
    #[schemars(length(min = 1, max = 200))]
    pub session: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListGrants {
    type Input = Input;
    type Output = Page<GrantView>;

    fn spec() -> Spec {
        Spec::program("grants.list", Level::Read, Permission::WORKSPACE_READ).describe(
            "List the session grants under which your calls need no confirmation, newest first. Admins see all of the workspace.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<GrantView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let mut grants = cx.session_grants(input.session.as_deref()).await?;
        grants.retain(|grant| (grant.granted_at, grant.id) < (cursor.at, cursor.id));
        let page = Page::from_rows(grants, limit, |grant| Cursor { at: grant.granted_at, id: grant.id });
        let items = GrantView::of_all(cx.tx, &page.items).await?;
        Ok(Page { items, next_cursor: page.next_cursor, ends: page.ends })
    }

    fn describe(_: &Input, page: &Page<GrantView>) -> String {
        format!("Found {}", count(page.items.len(), "session grant"))
    }
}
