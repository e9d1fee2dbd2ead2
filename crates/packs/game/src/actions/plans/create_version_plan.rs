//! Creates a version plan.

use toolcrib_engine::prelude::*;

use super::{MAX_PLANS, PlanView, scope::Checked};
use crate::{
    graph::{Graph, SystemName},
    inputs::SystemRef,
    permissions, project,
    shared::{Ref, actor, keep, unless_taken, within},
    tables::{
        dependencies,
        plans::{self, PlanRow, PlanStatus},
        projects::{self, Lock},
    },
};

pub struct CreateVersionPlan;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// A label that no other plan of the project has, such as `v1.0`.
    #[schemars(length(min = 1, max = 100))]
    pub version_label: String,
    /// Title.
    pub title: String,
    /// IDs or slugs of the systems.
    #[schemars(length(min = 1, max = 2000))]
    #[schemars(with = "Vec<SystemRef>")]
    pub systems: Vec<Ref>,
    /// Description.
    #[schemars(length(min = 1, max = 4000))]
    pub description: Option<String>,
    /// Whether to add required systems that are not given. Default: false.
    pub auto_include: Option<bool>,
}

/// A new plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub view: PlanView,
    /// Systems that were added because others require them.
    pub added: Vec<SystemName>,
}

impl WriteAction for CreateVersionPlan {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::manage("game_create_version_plan")
            .creates()
            .describe("Create a draft of a version plan from systems of a game. Everything that they require must be in it.")
            .tags(&["game", "version", "plan", "release", "scope", "new"])
            .examples(&["Plan version 1.0 with combat and movement", "Make a plan for the demo", "Plan the next release"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        keep("/version_label", &mut input.version_label)?;
        let (checked, _) = check(dependencies::graph(cx.tx, project.id).await?, input)?;
        let detail = count(checked.scope.order.len(), "system");
        Ok(project::target("version plan", &input.version_label, &project, Some(&detail)))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let hint =
            "delete drafts that are no longer needed, with `game_delete_version_plan`; finalized plans stay";
        within(projects::counts(cx.tx, project).await?.plans + 1, MAX_PLANS, "plans of a project", hint)?;
        let (checked, added) = check(dependencies::graph(cx.tx, project).await?, input)?;
        let row = PlanRow {
            id: cx.new_id(),
            version_label: input.version_label.clone(),
            title: input.title.clone(),
            description: input.description.clone(),
            status: PlanStatus::Draft,
            created_by: actor(cx.caller),
            created_at: cx.now,
            finalized_by: None,
            finalized_at: None,
            sha256: None,
            snapshot: None,
        };
        unless_taken(plans::insert(cx.tx, project, &row, &checked.ids()).await, || {
            format!("a plan with the label `{}` exists already", row.version_label)
        })?;
        Ok(Output { view: PlanView::of_draft(row, &checked), added })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let PlanView { plan, systems, .. } = &output.view;
        format!("Created plan `{}` with {}", plan.version_label, count(systems.len(), "system"))
    }
}

fn check(graph: Graph, input: &Input) -> Result<(Checked, Vec<SystemName>), ActionError> {
    let checked = Checked::of_refs(graph, &input.systems)?;
    if input.auto_include == Some(true) {
        return checked.with_missing();
    }
    checked.refuse_incomplete()?;
    Ok((checked, vec![]))
}
