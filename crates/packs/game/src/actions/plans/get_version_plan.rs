//! Shows a version plan with its systems.

use toolcrib_engine::prelude::*;

use super::{PlanView, scope::Checked};
use crate::{
    design::Design,
    find,
    inputs::OfPlan,
    permissions, project,
    tables::{dependencies, plans},
};

pub struct GetVersionPlan;

impl ReadAction for GetVersionPlan {
    type Input = OfPlan;
    type Output = PlanView;

    fn spec() -> Spec {
        permissions::read("game_get_version_plan")
            .describe(
                "Get a version plan with its systems by phase. A finalized one shows them as they were.",
            )
            .tags(&["game", "version", "plan", "release", "details", "phases"])
            .examples(&[
                "What is in version 1.0?",
                "Show the plan of the demo",
                "Which phases has the next version?",
            ])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &OfPlan) -> Result<PlanView, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let row = find::plan(cx.tx, project, &input.plan).await?;
        if let Some(snapshot) = &row.snapshot {
            let design = Design::of_snapshot(snapshot)?;
            return Ok(PlanView::of_snapshot(row, design));
        }
        let ids = plans::systems(cx.tx, project, row.id).await?;
        let checked = Checked::of_ids(dependencies::graph(cx.tx, project).await?, &ids)?;
        Ok(PlanView::of_draft(row, &checked))
    }

    fn describe(_: &OfPlan, view: &PlanView) -> String {
        let systems = count(view.systems.len(), "system");
        format!("Plan `{}` has {systems} in {}", view.plan.version_label, count(view.phases.len(), "phase"))
    }
}
