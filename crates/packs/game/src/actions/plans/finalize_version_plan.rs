//! Finalizes a version plan with a snapshot of its systems.

use toolcrib_engine::prelude::*;
use toolcrib_store::Tx;

use super::{PlanView, refuse_finalized, scope::Checked};
use crate::{
    design::Design,
    find,
    inputs::OfPlan,
    permissions, project,
    shared::{actor, number},
    tables::{
        dependencies,
        plans::{self, PlanRow, PlanStatus},
        projects::Lock,
    },
};

/// The number of bytes of the texts in a snapshot.
const MAX_SNAPSHOT: usize = 16 * 1024 * 1024;

pub struct FinalizeVersionPlan;

impl WriteAction for FinalizeVersionPlan {
    type Input = OfPlan;
    type Output = PlanView;

    fn spec() -> Spec {
        let warning = "A finalized plan never changes, and can't be deleted. Nor can its systems.";
        permissions::destroy("game_finalize_version_plan", warning)
            .updates()
            .describe(
                "Finalize a version plan: it keeps its systems as they are now, and never changes again.",
            )
            .tags(&["game", "version", "plan", "release", "freeze"])
            .examples(&["Finalize version 1.0", "Freeze the plan of the demo", "The release plan is final"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut OfPlan) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let row = find::plan(cx.tx, project.id, &input.plan).await?;
        input.plan = row.id.into();
        let checked = valid(cx.tx, project.id, &row).await?;
        let systems = count(checked.scope.order.len(), "system");
        let detail = format!("{systems} in {}", count(checked.scope.phases.len(), "phase"));
        let target = project::target("version plan", &row.version_label, &project, Some(&detail));
        // A draft only loses systems: with fewer of them, it is no longer what the person saw.
        let target = Target { id: Some(row.id), ..target };
        Ok(project::bound_to_card(target, number(checked.scope.order.len())))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &OfPlan) -> Result<PlanView, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let mut row = find::plan(cx.tx, project, &input.plan).await?;
        let checked = valid(cx.tx, project, &row).await?;
        let design =
            Design::read(cx.tx, project, &checked.graph, &checked.scope.phases, MAX_SNAPSHOT).await?;
        let design = design.ok_or_else(|| {
            ActionError::conflict(format!(
                "the texts of the plan's systems have more than {MAX_SNAPSHOT} bytes"
            ))
            .hint("shorten them, or plan fewer systems")
        })?;
        let (snapshot, sha256) = design.snapshot()?;
        row.status = PlanStatus::Finalized;
        (row.snapshot, row.sha256) = (Some(snapshot), Some(sha256));
        (row.finalized_by, row.finalized_at) = (Some(actor(cx.caller)), Some(cx.now));
        if !plans::finalize(cx.tx, project, &row).await? {
            return Err(ActionError::internal("a draft of a locked project was not finalized"));
        }
        let data = json!({ "project_id": project, "plan_id": row.id });
        cx.emit("game.plan_finalized", permissions::EVENTS, data);
        Ok(PlanView::of_snapshot(row, design))
    }

    fn describe(_: &OfPlan, view: &PlanView) -> String {
        format!("Finalized plan `{}` with {}", view.plan.version_label, count(view.systems.len(), "system"))
    }
}

/// Returns the scope of a draft. 409 if it is finalized or no longer valid.
async fn valid(tx: &mut Tx, project: Id, row: &PlanRow) -> Result<Checked, ActionError> {
    refuse_finalized(row)?;
    let ids = plans::systems(tx, project, row.id).await?;
    let checked = Checked::of_ids(dependencies::graph(tx, project).await?, &ids)?;
    checked.refuse_outdated(&row.version_label)?;
    Ok(checked)
}
