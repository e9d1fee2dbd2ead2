//! Changes a project, or archives it.

use toolcrib_engine::prelude::*;
use toolcrib_registry::{Condition, ConfirmationLevel, Escalation};

use super::{announce, store};
use crate::{
    permissions, project,
    shared::{Ref, SOURCE, keep},
    tables::projects::{self, Lock, ProjectRow, ProjectStatus},
};

pub struct UpdateProject;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// New name.
    pub name: Option<String>,
    /// What the game is.
    #[schemars(length(max = 4000))]
    pub description: Option<String>,
    /// Genre.
    #[schemars(length(max = 100))]
    pub genre: Option<String>,
    /// Platform.
    #[schemars(length(max = 100))]
    pub platform: Option<String>,
    /// Status. An archived project is read only.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<ProjectStatus>,
}

impl WriteAction for UpdateProject {
    type Input = Input;
    type Output = ProjectRow;

    fn spec() -> Spec {
        let archives = Condition::Equals("archived".into());
        let mut spec = permissions::manage("game_update_project")
            .describe("Change a game project's name, description, genre, platform or status. An empty text removes it.")
            .tags(&["game", "project", "edit", "rename", "archive"])
            .examples(&["Rename the game to Quest", "Archive the old project", "The game is in production now"])
            .escalations(&[Escalation::new("status", archives, ConfirmationLevel::Simple)]);
        spec.warning = Some("An archived project is read only until its status changes.".into());
        spec
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = project::of(cx, input.project.as_ref()).await?;
        input.project = Some(row.id.into());
        if let Some(name) = input.name.as_mut().filter(|name| **name != row.name) {
            keep("/name", name)?;
        }
        changed(input, row.clone())?;
        let label = format!("project `{}`", row.name);
        Ok(Target { id: Some(row.id), label, version: Some(row.version), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ProjectRow, ActionError> {
        let row = project::lock_any(cx, input.project.as_ref(), Lock::Change).await?;
        let mut row = changed(input, row)?;
        row.updated_at = cx.now;
        store(projects::update(cx.tx, &row).await, &row.name)?;
        announce(cx, &row, "updated");
        Ok(row)
    }

    fn describe(_: &Input, row: &ProjectRow) -> String {
        format!("Updated project `{}`", row.name)
    }
}

/// Returns the project with the given values. 422 if nothing changes, 409 if it is archived and stays so.
fn changed(input: &Input, row: ProjectRow) -> Result<ProjectRow, ActionError> {
    let text = |given: &Option<String>, own: &Option<String>| match given {
        Some(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        None => own.clone(),
    };
    let new = ProjectRow {
        name: input.name.clone().unwrap_or_else(|| row.name.clone()),
        description: text(&input.description, &row.description),
        genre: text(&input.genre, &row.genre),
        platform: text(&input.platform, &row.platform),
        status: input.status.unwrap_or(row.status),
        ..row.clone()
    };
    if new == row {
        let message = "changes nothing: give at least one value that differs";
        return Err(ActionError::invalid("", "unchanged", message));
    }
    if row.status == ProjectStatus::Archived && new.status == ProjectStatus::Archived {
        return Err(ActionError::conflict(format!("project `{}` is archived, and read only", row.name))
            .quoting(SOURCE)
            .because("archived")
            .hint("give another `status` too"));
    }
    Ok(new)
}
