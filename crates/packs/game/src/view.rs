//! How systems of a graph are shown.

use toolcrib_engine::prelude::*;

use crate::{
    graph::{DependencyType, Edge, Graph, Reached, SystemName},
    shared::SOURCE,
};

/// A system that another one reaches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReachedSystem {
    #[serde(flatten)]
    pub system: SystemName,
    /// Number of dependencies in between, from 1.
    pub distance: usize,
}

/// A dependency, by slugs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Slug of the system that depends.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub source: String,
    /// Slug of the system that it depends on.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub target: String,
    /// Type.
    #[serde(rename = "type")]
    #[schemars(extend("x-plain-words" = true))]
    pub kind: DependencyType,
}

pub fn reached(graph: &Graph, reached: &[Reached]) -> Vec<ReachedSystem> {
    let view =
        |one: &Reached| ReachedSystem { system: graph.nodes()[one.node].clone(), distance: one.distance };
    reached.iter().map(view).collect()
}

pub fn link(graph: &Graph, edge: &Edge) -> Link {
    let slug = |node: usize| graph.nodes()[node].slug.clone();
    Link { source: slug(edge.source), target: slug(edge.target), kind: edge.kind }
}

pub fn slugs(graph: &Graph, nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|node| graph.nodes()[*node].slug.clone()).collect()
}

/// Returns the 409 of a cycle, with its path in names.
pub fn cycle(graph: &Graph, path: &[usize]) -> ActionError {
    /// The number of names of a long path that are shown.
    const MAX_SHOWN: usize = 60;
    let mut names: Vec<String> = path.iter().map(|node| format!("`{}`", graph.nodes()[*node].name)).collect();
    if names.len() > MAX_SHOWN {
        names.splice(MAX_SHOWN - 1..names.len() - 1, ["…".to_owned()]);
    }
    ActionError::conflict(format!("the dependencies would form a cycle: {}", names.join(" requires ")))
        .quoting(SOURCE)
        .because("cycle_detected")
        .hint("remove one of these dependencies, or use the type `enhances` or `optional`")
}
