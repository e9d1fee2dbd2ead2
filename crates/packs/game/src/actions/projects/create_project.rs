//! Creates a project.

use toolcrib_engine::prelude::*;

use super::{announce, store};
use crate::{
    permissions, project,
    shared::{actor, keep, number, within},
    tables::projects::{self, ProjectRow, ProjectStatus},
};

/// The number of projects of a workspace.
const MAX_PROJECTS: i64 = 500;

pub struct CreateProject;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A name that no other project here has.
    pub name: String,
    /// What the game is.
    #[schemars(length(min = 1, max = 4000))]
    pub description: Option<String>,
    /// Genre.
    #[schemars(length(min = 1, max = 100))]
    pub genre: Option<String>,
    /// Platform.
    #[schemars(length(min = 1, max = 100))]
    pub platform: Option<String>,
    /// Status. Default: `ideation`.
    pub status: Option<ProjectStatus>,
}

impl WriteAction for CreateProject {
    type Input = Input;
    type Output = ProjectRow;

    fn spec() -> Spec {
        permissions::manage("game_create_project")
            .creates()
            .describe("Create a game project, to which systems, brainstorms and version plans belong.")
            .tags(&["game", "project", "new"])
            .examples(&[
                "Start a new game project",
                "Create a project for our roguelike",
                "Set up a game called Quest",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        project::refuse_bound(cx)?;
        keep("/name", &mut input.name)?;
        Ok(Target { label: format!("project `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ProjectRow, ActionError> {
        let known = number(projects::names(cx.tx).await?.len());
        let hint = "delete projects that are no longer needed, with `game_delete_project`";
        within(known + 1, MAX_PROJECTS, "projects of a workspace", hint)?;
        let row = ProjectRow {
            id: cx.new_id(),
            name: input.name.clone(),
            description: input.description.clone(),
            genre: input.genre.clone(),
            platform: input.platform.clone(),
            status: input.status.unwrap_or(ProjectStatus::Ideation),
            created_by: actor(cx.caller),
            created_at: cx.now,
            updated_at: cx.now,
            version: 1,
        };
        store(projects::insert(cx.tx, &row).await, &row.name)?;
        announce(cx, &row, "created");
        Ok(row)
    }

    fn describe(_: &Input, row: &ProjectRow) -> String {
        format!("Created project `{}`", row.name)
    }
}
