//! Deletes a brainstorm.

use toolcrib_engine::prelude::*;

use crate::{
    find,
    inputs::OfBrainstorm,
    permissions, project,
    tables::{
        brainstorms::{self, BrainstormRow},
        projects::Lock,
        systems,
    },
};

pub struct DeleteBrainstorm;

impl WriteAction for DeleteBrainstorm {
    type Input = OfBrainstorm;
    type Output = BrainstormRow;

    fn spec() -> Spec {
        permissions::destroy(
            "game_delete_brainstorm",
            "The brainstorm is deleted for good. Systems made from it stay.",
        )
        .describe("Delete a brainstorm of a game project for good. Systems that were made from it stay.")
        .tags(&["game", "brainstorm", "ideas", "remove"])
        .examples(&["Delete that brainstorm", "Remove the old ideas", "Throw the brainstorm away"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut OfBrainstorm) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let row = find::brainstorm(cx.tx, project.id, input.brainstorm).await?.row;
        let made = systems::of_brainstorm(cx.tx, project.id, row.id).await?.len();
        let detail = format!("{} made from it", count(made, "system"));
        let target = project::target("brainstorm", &row.title, &project, Some(&detail));
        Ok(Target { id: Some(row.id), ..target })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &OfBrainstorm) -> Result<BrainstormRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let row = find::brainstorm(cx.tx, project, input.brainstorm).await?.row;
        brainstorms::delete(cx.tx, project, row.id).await?;
        Ok(row)
    }

    fn describe(_: &OfBrainstorm, row: &BrainstormRow) -> String {
        format!("Deleted brainstorm `{}`", row.title)
    }
}
