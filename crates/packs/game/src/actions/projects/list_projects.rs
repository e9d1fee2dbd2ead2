//! Lists the projects.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::page,
    tables::projects::{self, ProjectRow, ProjectStatus},
};

pub struct ListProjects;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only projects with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<ProjectStatus>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListProjects {
    type Input = Input;
    type Output = Page<ProjectRow>;

    fn spec() -> Spec {
        permissions::read("game_list_projects")
            .describe("List this workspace's game projects, newest first. Use it to find a project's ID.")
            .tags(&["game", "project", "overview"])
            .examples(&["Which games are we making?", "List our game projects", "Show the archived games"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<ProjectRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let key = |row: &ProjectRow| Cursor { at: row.created_at, id: row.id };
        let bound = project::bound(cx).await?.map(|row| row.id);
        let rows = projects::list(cx.tx, bound, input.status, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, key))
    }

    fn describe(_: &Input, page: &Page<ProjectRow>) -> String {
        format!("Found {}", count(page.items.len(), "project"))
    }
}
