//! Lists what happened in a project.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::{Ref, page},
    tables::activity::{self, ActivityRow},
};

pub struct GetProjectActivity;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for GetProjectActivity {
    type Input = Input;
    type Output = Page<ActivityRow>;

    fn spec() -> Spec {
        permissions::read("game_get_project_activity")
            .describe("List what happened in a game project, newest first: changed systems, plans, brainstorms, threads, exports.")
            .tags(&["game", "project", "activity", "history", "news"])
            .examples(&["What happened in the game project lately?", "Show the project's activity", "Who changed what?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<ActivityRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?;
        let rows = activity::list(cx.tx, project.id, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<ActivityRow>) -> String {
        format!("Found {}", count(page.items.len(), "event"))
    }
}
