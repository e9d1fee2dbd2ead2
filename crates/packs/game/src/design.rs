//! Systems with their texts in the order of their dependencies: what a finalized plan keeps, and what exports render.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolcrib_model::Id;
use toolcrib_store::StoreError;

use crate::{
    graph::{DependencyType, Graph},
    markdown::Described,
    tables::systems::System,
};

/// Some systems of a project and their dependencies, as they are or were. The snapshot of a finalized plan is its JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Design {
    /// Each system after what it requires.
    pub systems: Vec<System>,
    /// Dependencies of these systems, also on systems that are not among them.
    pub dependencies: Vec<Link>,
    /// The slugs of the systems, by phase.
    pub phases: Vec<Vec<String>>,
}

/// A dependency, by slugs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub source: String,
    pub target: String,
    #[serde(rename = "type")]
    pub kind: DependencyType,
}

impl Design {
    /// Puts systems into the order of their phases, which are positions in the graph.
    pub fn new(graph: &Graph, phases: &[Vec<usize>], systems: Vec<System>) -> Self {
        let nodes = graph.nodes();
        let mut by_id: HashMap<Id, System> =
            systems.into_iter().map(|system| (system.row.id, system)).collect();
        let systems = phases.concat().into_iter().filter_map(|node| by_id.remove(&nodes[node].id)).collect();
        let mut inside = vec![false; nodes.len()];
        for node in phases.iter().flatten() {
            inside[*node] = true;
        }
        let links = graph.edges().iter().filter(|edge| inside[edge.source]).map(|edge| Link {
            source: nodes[edge.source].slug.clone(),
            target: nodes[edge.target].slug.clone(),
            kind: edge.kind,
        });
        let slugs = |phase: &Vec<usize>| phase.iter().map(|node| nodes[*node].slug.clone()).collect();
        Self { systems, dependencies: links.collect(), phases: phases.iter().map(slugs).collect() }
    }

    /// Returns the snapshot and its SHA-256 in hexadecimal digits.
    pub fn snapshot(&self) -> Result<(String, String), StoreError> {
        let text = toolcrib_store::json(self)?;
        let hash = hex::encode(Sha256::digest(text.as_bytes()));
        Ok((text, hash))
    }

    pub fn of_snapshot(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text).map_err(|error| StoreError::Inconsistent(format!("snapshot: {error}")))
    }

    /// Returns a system as a document describes it.
    pub fn described(&self, system: &System, change_log: Option<String>) -> Described {
        let slug = &system.row.slug;
        let own = self.dependencies.iter().filter(|link| link.source == *slug);
        let others = self.dependencies.iter().filter(|link| link.target == *slug);
        let others: Vec<String> = others.map(|link| format!("- {} ({})", link.source, link.kind)).collect();
        Described {
            name: system.row.name.clone(),
            slug: slug.clone(),
            status: Some(system.row.status),
            mvp_criticality: Some(system.row.mvp_criticality),
            texts: system.texts.clone(),
            dependencies: own.map(|link| (link.target.clone(), link.kind)).collect(),
            version: None,
            depended_on_by: Some(others.join("\n")).filter(|text| !text.is_empty()),
            change_log,
        }
    }
}
