//! Systems with their texts in the order of their dependencies: what a finalized plan keeps, and what exports render.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx};

use crate::{
    graph::{Graph, SystemName},
    markdown::Described,
    tables::systems::{self, System},
    view::{self, Link},
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
        let links =
            graph.edges().iter().filter(|edge| inside[edge.source]).map(|edge| view::link(graph, edge));
        let phases = phases.iter().map(|phase| view::slugs(graph, phase));
        Self { systems, dependencies: links.collect(), phases: phases.collect() }
    }

    /// Reads the systems of these phases. Returns `None` if their texts have more than `most` bytes.
    pub async fn read(
        tx: &mut Tx,
        project: Id,
        graph: &Graph,
        phases: &[Vec<usize>],
        most: usize,
    ) -> Result<Option<Self>, StoreError> {
        /// The number of systems that are read at once, so that the limit is noticed before all are in memory.
        const BATCH: usize = 100;
        let ids: Vec<Id> = phases.iter().flatten().map(|node| graph.nodes()[*node].id).collect();
        let (mut systems, mut bytes) = (Vec::new(), 0);
        for batch in ids.chunks(BATCH) {
            systems.extend(systems::whole(tx, project, batch).await?);
            let new = systems.iter().rev().take(batch.len());
            bytes += new.map(|system: &System| system.texts.bytes()).sum::<usize>();
            if bytes > most {
                return Ok(None);
            }
        }
        Ok(Some(Self::new(graph, phases, systems)))
    }

    /// Returns the graph of these systems.
    pub fn graph(&self) -> Graph {
        let nodes = self.systems.iter().map(|system| SystemName::from(&system.row)).collect();
        let ids: HashMap<&str, Id> =
            self.systems.iter().map(|system| (system.row.slug.as_str(), system.row.id)).collect();
        let edge =
            |link: &Link| Some((*ids.get(link.source.as_str())?, *ids.get(link.target.as_str())?, link.kind));
        Graph::new(nodes, self.dependencies.iter().filter_map(edge))
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

    /// Reads the phases of a snapshot.
    pub fn phases_of_json(text: &str) -> Result<Vec<Vec<String>>, StoreError> {
        serde_json::from_str(text).map_err(|error| StoreError::Inconsistent(format!("phases: {error}")))
    }

    /// Returns the dependencies by system.
    pub fn links(&self) -> Links<'_> {
        let mut links = Links::default();
        for link in &self.dependencies {
            links.of.entry(&link.source).or_default().push(link);
            links.on.entry(&link.target).or_default().push(link);
        }
        links
    }
}

/// Dependencies by the slugs of systems.
#[derive(Default)]
pub struct Links<'d> {
    of: HashMap<&'d str, Vec<&'d Link>>,
    on: HashMap<&'d str, Vec<&'d Link>>,
}

impl<'d> Links<'d> {
    /// Returns what a system depends on.
    pub fn of(&self, slug: &str) -> impl Iterator<Item = &'d Link> {
        self.of.get(slug).into_iter().flatten().copied()
    }

    /// Returns a system as a document describes it.
    pub fn described(&self, system: &System, change_log: Option<String>) -> Described {
        let slug = &system.row.slug;
        let others = self.on.get(&**slug).into_iter().flatten();
        let others: Vec<String> = others.map(|link| format!("- {} ({})", link.source, link.kind)).collect();
        Described {
            name: system.row.name.clone(),
            slug: slug.clone(),
            status: Some(system.row.status),
            mvp_criticality: Some(system.row.mvp_criticality),
            texts: system.texts.clone(),
            dependencies: self.of(slug).map(|link| (link.target.clone(), link.kind)).collect(),
            version: None,
            depended_on_by: Some(others.join("\n")).filter(|text| !text.is_empty()),
            change_log,
        }
    }
}
