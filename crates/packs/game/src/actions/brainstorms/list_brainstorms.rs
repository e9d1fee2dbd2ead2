//! Lists the brainstorms of a project.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::{Ref, page},
    tables::brainstorms::{self, BrainstormRow, BrainstormSource},
};

pub struct ListBrainstorms;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Only brainstorms from this source.
    #[schemars(extend("x-plain-words" = true))]
    pub source: Option<BrainstormSource>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListBrainstorms {
    type Input = Input;
    type Output = Page<BrainstormRow>;

    fn spec() -> Spec {
        permissions::read("game_list_brainstorms")
            .describe("List the brainstorms of a game project without their contents, newest first.")
            .tags(&["game", "brainstorm", "ideas", "overview"])
            .examples(&[
                "Which brainstorms do we have?",
                "List the ideas from Discord",
                "Show our brainstorms",
            ])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<BrainstormRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?;
        let rows = brainstorms::list(cx.tx, project.id, input.source, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<BrainstormRow>) -> String {
        format!("Found {}", count(page.items.len(), "brainstorm"))
    }
}
