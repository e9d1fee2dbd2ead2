//! Shows the dependency graph of a project, or the part around a system.

use std::collections::BTreeSet;

use toolcrib_engine::prelude::*;

use crate::{
    find,
    graph::{SystemName, ordered},
    permissions, project,
    shared::Ref,
    tables::dependencies,
    view::{self, Link},
};

/// The number of systems beyond which a model is pointed at a part of the graph.
const MANY: usize = 150;

pub struct GetDependencyGraph;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or slug: only the part of the graph around this system.
    pub system: Option<Ref>,
    /// Maximum number of dependencies between `system` and the others. Default: 1.
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<usize>,
}

/// A dependency graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Number of systems.
    pub system_count: usize,
    /// Number of dependencies.
    pub dependency_count: usize,
    /// How to see a part of a large graph; otherwise null.
    #[schemars(extend("x-ours" = true))]
    pub hint: Option<&'static str>,
    /// Number of systems of each layer, lowest first.
    pub layers: Vec<usize>,
    /// Slugs, each after those that it requires.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub implementation_order: Vec<String>,
    /// Systems, in this order.
    pub nodes: Vec<NodeView>,
    /// Dependencies.
    pub edges: Vec<Link>,
    /// The graph as Mermaid text, with at most 400 dependencies.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub mermaid: String,
    /// Whether the Mermaid text leaves something out.
    pub mermaid_truncated: bool,
}

/// A system of the graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeView {
    #[serde(flatten)]
    pub system: SystemName,
    /// Layer: 0 if it requires nothing, otherwise one more than the highest that it requires.
    pub layer: usize,
    /// Position in its layer, from 0.
    pub position: usize,
}

impl ReadAction for GetDependencyGraph {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_get_dependency_graph")
            .describe("Get the dependency graph of a game's systems with the order to build them in, or the part around one system.")
            .tags(&["game", "dependency", "graph", "order", "mermaid", "diagram"])
            .examples(&["Show the dependency graph", "In which order do we build the systems?", "Draw what is around combat"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        if input.depth.is_some() && input.system.is_none() {
            return Err(ActionError::invalid("/depth", "dependent", "needs `system` too"));
        }
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let around = match &input.system {
            Some(system) => Some(find::system(cx.tx, project, system).await?.id),
            None => None,
        };
        let graph = dependencies::graph(cx.tx, project).await?;
        let layers = graph.layers().map_err(|path| view::cycle(&graph, &path))?;
        let shown: BTreeSet<usize> = match around.and_then(|id| graph.position(id)) {
            Some(node) => graph.neighbourhood(node, input.depth.unwrap_or(1)),
            None => (0..graph.nodes().len()).collect(),
        };
        let order = ordered(shown.iter().copied(), &layers);
        let by_layer: Vec<&[usize]> = order.chunk_by(|a, b| layers[*a] == layers[*b]).collect();
        let nodes = by_layer.iter().flat_map(|layer| layer.iter().enumerate()).map(|(position, &node)| {
            NodeView { system: graph.nodes()[node].clone(), layer: layers[node], position }
        });
        let inside =
            graph.edges().iter().filter(|edge| shown.contains(&edge.source) && shown.contains(&edge.target));
        let edges: Vec<Link> = inside.map(|edge| view::link(&graph, edge)).collect();
        let mermaid = graph.mermaid(&shown);
        let hint = "the graph is large: give `system`, and `depth` from 1 to 5, to see a part of it";
        Ok(Output {
            system_count: shown.len(),
            dependency_count: edges.len(),
            hint: (shown.len() > MANY).then_some(hint),
            layers: by_layer.iter().map(|layer| layer.len()).collect(),
            implementation_order: view::slugs(&graph, &order),
            nodes: nodes.collect(),
            edges,
            mermaid: mermaid.text,
            mermaid_truncated: mermaid.truncated,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let dependencies = count(output.dependency_count, "dependency");
        format!("The graph has {} and {dependencies}", count(output.system_count, "system"))
    }
}
