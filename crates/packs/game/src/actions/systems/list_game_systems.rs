//! Lists the systems of a project.

use toolcrib_engine::prelude::*;

use crate::{
    permissions, project,
    shared::{Ref, page},
    system::{Criticality, SystemStatus},
    tables::systems::{self, Filter, SystemRow},
};

pub struct ListGameSystems;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Only systems with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<SystemStatus>,
    /// Only systems that the first playable version needs this much.
    #[schemars(extend("x-plain-words" = true))]
    pub mvp_criticality: Option<Criticality>,
    /// Part of the name or slug.
    #[schemars(length(min = 1, max = 100))]
    pub search: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListGameSystems {
    type Input = Input;
    type Output = Page<SystemRow>;

    fn spec() -> Spec {
        permissions::read("game_list_game_systems")
            .describe("List the systems of a game project without their texts, newest first.")
            .tags(&["game", "system", "design", "overview"])
            .examples(&[
                "Which systems does the game have?",
                "List critical systems",
                "Find the combat system",
            ])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<SystemRow>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?;
        let Input { status, mvp_criticality, search, .. } = input.clone();
        let filter = Filter { status, mvp_criticality, search };
        let rows = systems::list(cx.tx, project.id, &filter, cursor, limit + 1).await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id }))
    }

    fn describe(_: &Input, page: &Page<SystemRow>) -> String {
        format!("Found {}", count(page.items.len(), "system"))
    }
}
