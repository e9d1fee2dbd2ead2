//! Deletes a system with its dependencies.

use toolcrib_engine::prelude::*;
use toolcrib_store::Tx;

use super::{announce, record};
use crate::{
    find,
    inputs::OfSystem,
    permissions, project,
    shared::SOURCE,
    tables::{
        dependencies,
        plans::{self, PlanStatus},
        projects::Lock,
        systems::{self, ChangeKind, SystemRow},
    },
};

pub struct DeleteGameSystem;

impl WriteAction for DeleteGameSystem {
    type Input = OfSystem;
    type Output = SystemRow;

    fn spec() -> Spec {
        let warning = "The system is deleted for good, with its dependencies and its places in drafts of version plans.";
        permissions::destroy("game_delete_game_system", warning)
            .describe("Delete a game system with its dependencies. One that a finalized version plan holds can't be deleted.")
            .tags(&["game", "system", "design", "remove"])
            .examples(&["Delete the fishing system", "Remove that system from the game", "We drop the weather system"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut OfSystem) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let row = find::system(cx.tx, project.id, &input.system).await?;
        input.system = row.id.into();
        refuse_finalized(cx.tx, project.id, &row).await?;
        let dependents = dependencies::sources(cx.tx, project.id, row.id).await?;
        let some: Vec<String> = dependents.iter().take(10).map(|end| format!("`{}`", end.name)).collect();
        let more = if dependents.len() > some.len() { " and others" } else { "" };
        let detail = match dependents.len() {
            0 => "no system depends on it".to_owned(),
            all => format!("{} of it: {}{more}", count(all, "dependent"), some.join(", ")),
        };
        let target = project::target("system", &row.name, &project, Some(&detail));
        Ok(project::bound_to_card(Target { id: Some(row.id), ..target }, row.version))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &OfSystem) -> Result<SystemRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let row = find::system(cx.tx, project, &input.system).await?;
        refuse_finalized(cx.tx, project, &row).await?;
        systems::delete(cx.tx, project, row.id).await?;
        record(cx, project, &row, ChangeKind::Deleted, None, vec![]).await?;
        announce(cx, project, &[row.id]);
        Ok(row)
    }

    fn describe(_: &OfSystem, row: &SystemRow) -> String {
        format!("Deleted system `{}`", row.name)
    }
}

async fn refuse_finalized(tx: &mut Tx, project: Id, row: &SystemRow) -> Result<(), ActionError> {
    let plans = plans::of_system(tx, project, row.id).await?;
    let held = plans.iter().find(|plan| plan.status == PlanStatus::Finalized);
    match held {
        None => Ok(()),
        Some(plan) => {
            let text = format!("the finalized plan `{}` holds system `{}`", plan.version_label, row.name);
            Err(ActionError::conflict(text).quoting(SOURCE).because("immutable"))
        }
    }
}
