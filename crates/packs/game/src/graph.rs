//! The graph of a project: its systems and their dependencies. Pure, and linear in their number but for sorting.
//!
//! A dependency leads from a *source* to a *target* that it builds on, so that the target comes first in every order.
//! Only dependencies of type `requires` make layers, and only they must not form a cycle. A system is named by its
//! position in [`Graph::nodes`], which are sorted by name and then by id: equal graphs give equal results.

mod mermaid;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, name_key};

pub use scope::Scope;

toolcrib_model::closed_set! {
    "a type of dependency",
    /// Type of a dependency.
    DependencyType {
        /// The source does not work without the target.
        Requires = "requires",
        /// The target improves the source.
        Enhances = "enhances",
        /// The source can use the target.
        Optional = "optional",
    }
}

/// A system of a graph.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct SystemName {
    /// ID.
    pub id: Id,
    /// Slug.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub slug: String,
    /// Name.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub name: String,
}

/// A dependency between two positions in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub source: usize,
    pub target: usize,
    pub kind: DependencyType,
}

/// A system that another one reaches, with the number of dependencies between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    pub distance: usize,
    pub node: usize,
}

/// Which way to follow dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// From sources to what they require.
    Requirements,
    /// From targets to what requires them.
    Dependents,
}

/// Systems and their dependencies.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<SystemName>,
    edges: Vec<Edge>,
    positions: HashMap<Id, usize>,
    requires: Neighbours,
    required_by: Neighbours,
}

impl Graph {
    /// Makes a graph. Leaves out dependencies on systems that are not among `nodes`.
    pub fn new(
        mut nodes: Vec<SystemName>,
        edges: impl IntoIterator<Item = (Id, Id, DependencyType)>,
    ) -> Self {
        nodes.sort_by_cached_key(|node| (name_key(&node.name), node.id));
        let positions: HashMap<Id, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let edge = |(source, target, kind)| {
            Some(Edge { source: *positions.get(&source)?, target: *positions.get(&target)?, kind })
        };
        let mut edges: Vec<Edge> = edges.into_iter().filter_map(edge).collect();
        edges.sort_unstable_by_key(|edge| (edge.source, edge.target));
        let required = || edges.iter().filter(|edge| edge.kind == DependencyType::Requires);
        let requires = Neighbours::new(nodes.len(), required().map(|edge| (edge.source, edge.target)));
        let required_by = Neighbours::new(nodes.len(), required().map(|edge| (edge.target, edge.source)));
        Self { nodes, edges, positions, requires, required_by }
    }

    /// The systems, by name and then by id.
    pub fn nodes(&self) -> &[SystemName] {
        &self.nodes
    }

    /// The dependencies of all types, by source and target.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub fn position(&self, id: Id) -> Option<usize> {
        self.positions.get(&id).copied()
    }

    /// Returns the layer of each system: 0 if it requires nothing, otherwise one more than the highest layer that it
    /// requires. The error is a cycle, as a path that ends where it begins.
    pub fn layers(&self) -> Result<Vec<usize>, Vec<usize>> {
        let mut layers = vec![0; self.nodes.len()];
        let mut open: Vec<usize> = (0..self.nodes.len()).map(|node| self.requires.of(node).len()).collect();
        let mut ready: Vec<usize> = (0..self.nodes.len()).filter(|node| open[*node] == 0).collect();
        let mut done = 0;
        while let Some(node) = ready.pop() {
            done += 1;
            for &dependent in self.required_by.of(node) {
                layers[dependent] = layers[dependent].max(layers[node] + 1);
                open[dependent] -= 1;
                if open[dependent] == 0 {
                    ready.push(dependent);
                }
            }
        }
        if done == self.nodes.len() { Ok(layers) } else { Err(self.cycle_among(&open)) }
    }

    /// Walks along requirements that have no layer, which each system without a layer has, until one comes back.
    fn cycle_among(&self, open: &[usize]) -> Vec<usize> {
        let mut path: Vec<usize> = open.iter().position(|left| *left > 0).into_iter().collect();
        let mut seen = HashMap::new();
        while let Some(&last) = path.last() {
            if let Some(first) = seen.insert(last, path.len() - 1) {
                return path.split_off(first);
            }
            path.extend(self.requires.of(last).iter().find(|target| open[**target] > 0));
        }
        path
    }

    /// Returns the cycle that `source` requiring `target` would close: a shortest path from `source` over `target` back
    /// to `source`.
    pub fn closes_cycle(&self, source: usize, target: usize) -> Option<Vec<usize>> {
        if source == target {
            return Some(vec![source, source]);
        }
        let mut came_from = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([target]);
        while let Some(node) = queue.pop_front() {
            for &next in self.requires.of(node) {
                if next != target && came_from[next].is_none() {
                    came_from[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        came_from[source]?;
        let back = std::iter::successors(Some(source), |node| came_from[*node]);
        let mut path: Vec<usize> = back.collect();
        path.push(source);
        path.reverse();
        Some(path)
    }

    /// Returns what `starts` reach by `requires`, without themselves, nearest first.
    pub fn reach(&self, starts: &[usize], follow: Follow) -> Vec<Reached> {
        let neighbours = match follow {
            Follow::Requirements => &self.requires,
            Follow::Dependents => &self.required_by,
        };
        breadth_first(self.nodes.len(), starts, usize::MAX, |node| neighbours.of(node))
    }

    /// Returns `of` and what is at most `depth` dependencies of any type away, in either direction.
    pub fn neighbourhood(&self, of: usize, depth: usize) -> BTreeSet<usize> {
        let both =
            self.edges.iter().flat_map(|edge| [(edge.source, edge.target), (edge.target, edge.source)]);
        let neighbours = Neighbours::new(self.nodes.len(), both);
        let reached = breadth_first(self.nodes.len(), &[of], depth, |node| neighbours.of(node));
        reached.into_iter().map(|reached| reached.node).chain([of]).collect()
    }
}

/// Sorts systems by layer, name and id.
pub fn ordered(nodes: impl IntoIterator<Item = usize>, layers: &[usize]) -> Vec<usize> {
    let mut nodes: Vec<usize> = nodes.into_iter().collect();
    nodes.sort_unstable_by_key(|node| (layers[*node], *node));
    nodes
}

/// Returns what is at most `depth` steps away from `starts`, without them, nearest first.
fn breadth_first<'n>(
    size: usize,
    starts: &[usize],
    depth: usize,
    neighbours: impl Fn(usize) -> &'n [usize],
) -> Vec<Reached> {
    let mut seen = vec![false; size];
    let mut reached: Vec<Reached> = starts.iter().map(|&node| Reached { distance: 0, node }).collect();
    for start in starts {
        seen[*start] = true;
    }
    let mut at = 0;
    while let Some(&Reached { distance, node }) = reached.get(at).filter(|one| one.distance < depth) {
        at += 1;
        for &next in neighbours(node) {
            if !std::mem::replace(&mut seen[next], true) {
                reached.push(Reached { distance: distance + 1, node: next });
            }
        }
    }
    reached.retain(|one| one.distance > 0);
    reached.sort_unstable();
    reached
}

/// The neighbours of each node, one after another in one list.
#[derive(Clone, Debug)]
struct Neighbours {
    /// Where the neighbours of each node start, and after the last one where they end.
    starts: Vec<usize>,
    all: Vec<usize>,
}

impl Neighbours {
    fn new(size: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; size + 1];
        pairs.clone().for_each(|(node, _)| starts[node + 1] += 1);
        for node in 0..size {
            starts[node + 1] += starts[node];
        }
        let (mut next, mut all) = (starts.clone(), vec![0; starts[size]]);
        for (node, neighbour) in pairs {
            all[next[node]] = neighbour;
            next[node] += 1;
        }
        Self { starts, all }
    }

    fn of(&self, node: usize) -> &[usize] {
        &self.all[self.starts[node]..self.starts[node + 1]]
    }
}
