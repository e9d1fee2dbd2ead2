//! Deletes a project with everything that belongs to it.

use toolcrib_engine::prelude::*;

use super::announce;
use crate::{
    inputs::OfProject,
    permissions, project,
    tables::projects::{self, Counts, Lock},
};

pub struct DeleteProject;

/// What was deleted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the project.
    pub id: Id,
    /// Name of the project.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub name: String,
    /// How much belonged to it.
    pub counts: Counts,
}

impl WriteAction for DeleteProject {
    type Input = OfProject;
    type Output = Output;

    fn spec() -> Spec {
        let warning =
            "The project is deleted for good, with its systems, plans, brainstorms, threads and exports.";
        permissions::delete("game_delete_project", warning)
            .describe(
                "Delete a game project with everything in it, for good. To keep it, archive it instead.",
            )
            .tags(&["game", "project", "remove"])
            .examples(&["Delete the test game", "Remove that project for good", "Throw the prototype away"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut OfProject) -> Result<Target, ActionError> {
        let row = project::of(cx, input.project.as_ref()).await?;
        input.project = Some(row.id.into());
        let detail = Some(in_words(projects::counts(cx.tx, row.id).await?));
        let label = format!("project `{}`", row.name);
        let target = Target { id: Some(row.id), label, detail, ..Target::default() };
        Ok(project::bound_to_card(target, row.version))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &OfProject) -> Result<Output, ActionError> {
        let row = project::lock_any(cx, input.project.as_ref(), Lock::Delete).await?;
        let counts = projects::counts(cx.tx, row.id).await?;
        projects::delete(cx.tx, row.id).await?;
        announce(cx, &row, "deleted");
        Ok(Output { id: row.id, name: row.name, counts })
    }

    fn describe(_: &OfProject, output: &Output) -> String {
        format!("Deleted project `{}` with {}", output.name, in_words(output.counts))
    }
}

fn in_words(counts: Counts) -> String {
    let parts = [
        count(counts.systems, "system"),
        count(counts.dependencies, "dependency"),
        count(counts.brainstorms, "brainstorm"),
        count(counts.plans, "plan"),
        count(counts.threads, "thread"),
        count(counts.exports, "export"),
    ];
    parts.join(", ")
}
