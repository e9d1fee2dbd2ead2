//! Shows what a change of a system affects.

use toolcrib_engine::prelude::*;

use crate::{
    find,
    graph::{DependencyType, Edge, Follow, SystemName, ordered},
    inputs::OfSystem,
    permissions, project,
    tables::{
        dependencies::{self, OtherEnd},
        plans::{self, PlanOfSystem},
    },
    view::{self, ReachedSystem},
};

pub struct GetImpactAnalysis;

/// What a change of a system affects.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The system.
    pub system: SystemName,
    /// Systems that require it themselves.
    pub direct: Vec<ReachedSystem>,
    /// Systems that require it through others, nearest first.
    pub transitive: Vec<ReachedSystem>,
    /// Systems that it enhances, or that can use it.
    pub others: Vec<OtherEnd>,
    /// What it requires itself and through others, nearest first.
    pub requirements: Vec<ReachedSystem>,
    /// Version plans that hold it.
    pub plans: Vec<PlanOfSystem>,
    /// Slugs of the system and of all that require it, in the order in which to work on them.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub order_of_work: Vec<String>,
}

impl ReadAction for GetImpactAnalysis {
    type Input = OfSystem;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_get_impact_analysis")
            .describe("Get what a change of a game system affects: direct and transitive dependents, plans and order of work.")
            .tags(&["game", "dependency", "impact", "change", "risk"])
            .examples(&["What breaks if we change combat?", "What depends on the inventory?", "Impact of dropping crafting"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &OfSystem) -> Result<Output, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let row = find::system(cx.tx, project, &input.system).await?;
        let graph = dependencies::graph(cx.tx, project).await?;
        let layers = graph.layers().map_err(|path| view::cycle(&graph, &path))?;
        let node = graph.position(row.id);
        let node = node.ok_or_else(|| ActionError::not_found("system", &input.system.0))?;
        let dependents = graph.reach(&[node], Follow::Dependents);
        let (direct, transitive) = dependents.split_at(dependents.partition_point(|one| one.distance == 1));
        let is_other = |edge: &&Edge| edge.target == node && edge.kind != DependencyType::Requires;
        let others = graph.edges().iter().filter(is_other).map(|edge| {
            let SystemName { id, slug, name } = graph.nodes()[edge.source].clone();
            OtherEnd { id, slug, name, kind: edge.kind }
        });
        let affected = dependents.iter().map(|one| one.node).chain([node]);
        Ok(Output {
            direct: view::reached(&graph, direct),
            transitive: view::reached(&graph, transitive),
            others: others.collect(),
            requirements: view::reached(&graph, &graph.reach(&[node], Follow::Requirements)),
            plans: plans::of_system(cx.tx, project, row.id).await?,
            order_of_work: view::slugs(&graph, &ordered(affected, &layers)),
            system: (&row).into(),
        })
    }

    fn describe(_: &OfSystem, output: &Output) -> String {
        let all = output.direct.len() + output.transitive.len();
        format!("A change of `{}` affects {}", output.system.name, count(all, "system"))
    }
}
