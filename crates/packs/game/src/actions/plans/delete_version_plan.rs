//! Deletes a draft of a version plan.

use toolcrib_engine::prelude::*;

use super::refuse_finalized;
use crate::{
    find,
    inputs::OfPlan,
    permissions, project,
    tables::{
        plans::{self, PlanRow},
        projects::Lock,
    },
};

pub struct DeleteVersionPlan;

impl WriteAction for DeleteVersionPlan {
    type Input = OfPlan;
    type Output = PlanRow;

    fn spec() -> Spec {
        permissions::destroy("game_delete_version_plan", "The draft is deleted for good. Its systems stay.")
            .describe(
                "Delete a draft of a version plan. Its systems stay. A finalized plan can't be deleted.",
            )
            .tags(&["game", "version", "plan", "release", "remove"])
            .examples(&["Delete the draft of version 2", "Drop that plan", "Remove the old release plan"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut OfPlan) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let row = find::plan(cx.tx, project.id, &input.plan).await?;
        input.plan = row.id.into();
        refuse_finalized(&row)?;
        let target = project::target("version plan", &row.version_label, &project, None);
        Ok(project::bound_to_card(Target { id: Some(row.id), ..target }, 0))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &OfPlan) -> Result<PlanRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let row = find::plan(cx.tx, project, &input.plan).await?;
        refuse_finalized(&row)?;
        plans::delete(cx.tx, project, row.id).await?;
        Ok(row)
    }

    fn describe(_: &OfPlan, row: &PlanRow) -> String {
        format!("Deleted plan `{}`", row.version_label)
    }
}
