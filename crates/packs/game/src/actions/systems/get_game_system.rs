//! Shows a system with its dependencies and its last changes.

use toolcrib_engine::prelude::*;

use crate::{
    find,
    inputs::OfSystem,
    permissions, project,
    tables::{
        dependencies::{self, OtherEnd},
        systems::{self, ChangeRow, System},
    },
};

/// The number of changes that are shown.
const CHANGES: i64 = 20;

pub struct GetGameSystem;

/// A system and what is around it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub system: System,
    /// Systems that it depends on.
    pub depends_on: Vec<OtherEnd>,
    /// Systems that depend on it.
    pub depended_on_by: Vec<OtherEnd>,
    /// The last 20 changes, newest first.
    pub changes: Vec<ChangeRow>,
}

impl ReadAction for GetGameSystem {
    type Input = OfSystem;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_get_game_system")
            .describe("Get a game system with all its texts, its dependencies in both directions and its last 20 changes.")
            .tags(&["game", "system", "design", "details"])
            .examples(&["Show the combat system", "How does crafting work in our game?", "What does inventory depend on?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &OfSystem) -> Result<Output, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let row = find::system(cx.tx, project, &input.system).await?;
        let whole = systems::whole(cx.tx, project, &[row.id]).await?.pop();
        let system = whole.ok_or_else(|| ActionError::not_found("system", &input.system.0))?;
        Ok(Output {
            depends_on: dependencies::targets(cx.tx, project, row.id).await?,
            depended_on_by: dependencies::sources(cx.tx, project, row.id).await?,
            changes: systems::changes(cx.tx, project, row.id, CHANGES).await?,
            system,
        })
    }

    fn describe(_: &OfSystem, output: &Output) -> String {
        format!("System `{}` is in {}", output.system.row.name, output.system.row.status)
    }
}
