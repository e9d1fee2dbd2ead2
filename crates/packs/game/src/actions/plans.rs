//! Version plans: scopes of systems, which are finalized with a snapshot.

mod create_version_plan;
mod delete_version_plan;
mod finalize_version_plan;
mod get_version_plan;
mod list_version_plans;
pub mod scope;
mod validate_version_scope;

use toolcrib_engine::prelude::*;

use crate::{
    design::Design,
    graph::SystemName,
    shared::SOURCE,
    tables::plans::{PlanRow, PlanStatus},
    view::Link,
};
use scope::{Checked, MissingSystem};

/// The number of plans of a project.
pub const MAX_PLANS: i64 = 500;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_version_plans::ListVersionPlans),
        Action::read(get_version_plan::GetVersionPlan),
        Action::write(create_version_plan::CreateVersionPlan),
        Action::read(validate_version_scope::ValidateVersionScope),
        Action::write(finalize_version_plan::FinalizeVersionPlan),
        Action::write(delete_version_plan::DeleteVersionPlan),
    ]
}

/// A plan with its systems.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanView {
    #[serde(flatten)]
    pub plan: PlanRow,
    /// Systems, each after what it requires; of a finalized plan as they were.
    pub systems: Vec<SystemName>,
    /// Slugs of the systems by phase: those of one phase can be built side by side.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub phases: Vec<Vec<String>>,
    /// Required systems that the plan lacks by now; none in a finalized plan.
    pub missing: Vec<MissingSystem>,
    /// Dependencies of the types `enhances` and `optional` on systems that are not in the plan.
    pub warnings: Vec<Link>,
}

impl PlanView {
    fn of_draft(plan: PlanRow, checked: &Checked) -> Self {
        let view = checked.view();
        let nodes = checked.graph.nodes();
        let systems = checked.scope.order.iter().map(|node| nodes[*node].clone());
        Self {
            plan,
            systems: systems.collect(),
            phases: view.phases,
            missing: view.missing,
            warnings: view.warnings,
        }
    }

    fn of_snapshot(plan: PlanRow, design: Design) -> Self {
        let inside = |slug: &str| design.systems.iter().any(|system| system.row.slug == slug);
        let mut warnings = design.dependencies.clone();
        warnings.retain(|link| !inside(&link.target));
        let systems = design.systems.iter().map(|system| (&system.row).into());
        Self { plan, systems: systems.collect(), phases: design.phases, missing: vec![], warnings }
    }
}

/// Returns the 409 of a change of a finalized plan.
fn refuse_finalized(row: &PlanRow) -> Result<(), ActionError> {
    if row.status == PlanStatus::Draft {
        return Ok(());
    }
    Err(ActionError::conflict(format!("plan `{}` is finalized, and never changes", row.version_label))
        .quoting(SOURCE)
        .because("immutable"))
}
