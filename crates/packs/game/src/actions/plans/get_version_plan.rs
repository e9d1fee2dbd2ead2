//! Shows a version plan with its systems.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::count;
use toolcrib_registry::Spec;

use super::{PlanView, scope::Checked};
use crate::{
    design::Design,
    find, permissions, project,
    shared::Ref,
    tables::{dependencies, plans},
};

pub struct GetVersionPlan;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or label.
    pub plan: Ref,
}

impl ReadAction for GetVersionPlan {
    type Input = Input;
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

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<PlanView, ActionError> {
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

    fn describe(_: &Input, view: &PlanView) -> String {
        let systems = count(view.systems.len(), "system");
        format!("Plan `{}` has {systems} in {}", view.plan.version_label, count(view.phases.len(), "phase"))
    }
}
