//! Shows a project with the number of what belongs to it.

use toolcrib_engine::prelude::*;

use crate::{
    inputs::OfProject,
    permissions, project,
    tables::projects::{self, Counts, ProjectRow},
};

pub struct GetProject;

/// A project and what belongs to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub project: ProjectRow,
    /// How much belongs to it.
    pub counts: Counts,
}

impl ReadAction for GetProject {
    type Input = OfProject;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_get_project")
            .describe("Get a game project with the number of its systems, dependencies, brainstorms, plans, threads and exports.")
            .tags(&["game", "project", "details"])
            .examples(&["How big is our game project?", "Show me the project", "How many systems does the game have?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &OfProject) -> Result<Output, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?;
        let counts = projects::counts(cx.tx, project.id).await?;
        Ok(Output { project, counts })
    }

    fn describe(_: &OfProject, output: &Output) -> String {
        format!("Project `{}` is in {}", output.project.name, output.project.status)
    }
}
