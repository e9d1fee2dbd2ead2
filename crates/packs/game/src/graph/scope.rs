//! The scope of a version plan: what it lacks, its order and its phases.

use std::collections::BTreeSet;

use super::{DependencyType, Edge, Follow, Graph, ordered};

/// What a choice of systems means for a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Systems that are required, transitively, and were not chosen, in their order.
    pub missing: Vec<Missing>,
    /// Dependencies of the types `enhances` and `optional` on systems outside the scope.
    pub warnings: Vec<Edge>,
    /// The chosen systems, each after what it requires.
    pub order: Vec<usize>,
    /// The same by layers: what is in one phase can be built side by side.
    pub phases: Vec<Vec<usize>>,
}

/// A system that a scope lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub node: usize,
    /// The systems of the scope, or that it lacks, that require it directly.
    pub required_by: Vec<usize>,
}

impl Graph {
    /// Checks a choice of systems. The error is a cycle, as of [`Graph::layers`].
    pub fn scope(&self, chosen: &BTreeSet<usize>) -> Result<Scope, Vec<usize>> {
        let starts: Vec<usize> = chosen.iter().copied().collect();
        let lacking = self.reach(&starts, Follow::Requirements).into_iter().map(|reached| reached.node);
        let whole: BTreeSet<usize> = lacking.clone().chain(starts.iter().copied()).collect();
        let layers = self.layers_within(&whole)?;
        let missing = ordered(lacking, &layers).into_iter().map(|node| {
            let required_by = self.required_by.of(node).iter().copied().filter(|by| whole.contains(by));
            Missing { node, required_by: required_by.collect() }
        });
        let warned = |edge: &&Edge| {
            edge.kind != DependencyType::Requires
                && chosen.contains(&edge.source)
                && !whole.contains(&edge.target)
        };
        let order = ordered(starts, &layers);
        let phases = order.chunk_by(|a, b| layers[*a] == layers[*b]).map(<[usize]>::to_vec).collect();
        let warnings = self.edges.iter().filter(warned).copied().collect();
        Ok(Scope { missing: missing.collect(), warnings, order, phases })
    }

    /// Returns the layers that the systems have if there are no others. Those of others are 0.
    fn layers_within(&self, nodes: &BTreeSet<usize>) -> Result<Vec<usize>, Vec<usize>> {
        let list: Vec<usize> = nodes.iter().copied().collect();
        let inside =
            self.edges.iter().filter(|edge| nodes.contains(&edge.source) && nodes.contains(&edge.target));
        let ids = |edge: &Edge| (self.nodes[edge.source].id, self.nodes[edge.target].id, edge.kind);
        let part = Self::new(list.iter().map(|node| self.nodes[*node].clone()).collect(), inside.map(ids));
        let to_whole = |cycle: Vec<usize>| cycle.into_iter().map(|node| list[node]).collect::<Vec<_>>();
        let mut layers = vec![0; self.nodes.len()];
        for (node, layer) in list.iter().zip(part.layers().map_err(to_whole)?) {
            layers[*node] = layer;
        }
        Ok(layers)
    }
}
