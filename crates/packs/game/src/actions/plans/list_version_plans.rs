//! Lists the version plans of a project.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::{Ref, page},
    tables::plans::{self, PlanRow, PlanStatus},
};

pub struct ListVersionPlans;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Only plans with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<PlanStatus>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListVersionPlans {
    type Input = Input;
    type Output = Page<PlanRow>;

    fn spec() -> Spec {
        permissions::read("game_list_version_plans")
            .describe("List the version plans of a game project without their systems, newest first.")
            .tags(&["game", "version", "plan", "release", "overview"])
            .examples(&["Which versions are planned?", "List the finalized plans", "Show our release plans"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<PlanRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?;
        let rows = plans::list(cx.tx, project.id, input.status, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<PlanRow>) -> String {
        format!("Found {}", count(page.items.len(), "version plan"))
    }
}
