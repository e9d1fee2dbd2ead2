//! The scope of a plan: the systems that a caller named, checked against the graph.

use std::collections::{BTreeSet, HashMap};

use toolcrib_engine::prelude::*;
use toolcrib_registry::{ArgError, nearest};

use crate::{
    graph::{Graph, Scope, SystemName},
    shared::{Ref, SOURCE},
    view::{self, Link},
};

/// A scope and the graph that it was checked against.
pub struct Checked {
    pub graph: Graph,
    pub scope: Scope,
}

/// A check of a scope.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScopeView {
    /// Whether nothing is missing.
    pub valid: bool,
    /// Required systems that the scope lacks, in their order.
    pub missing: Vec<MissingSystem>,
    /// Dependencies of the types `enhances` and `optional` on systems outside the scope.
    pub warnings: Vec<Link>,
    /// Slugs of the systems, each after those that it requires.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub order: Vec<String>,
    /// The same by phase: what is in one phase can be built side by side.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub phases: Vec<Vec<String>>,
}

/// A system that a scope lacks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissingSystem {
    #[serde(flatten)]
    pub system: SystemName,
    /// Slugs of the systems that require it.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub required_by: Vec<String>,
}

impl Checked {
    /// Checks the systems with these ids. Leaves out ids of no system.
    pub fn of_ids(graph: Graph, ids: &[Id]) -> Result<Self, ActionError> {
        let chosen = ids.iter().filter_map(|id| graph.position(*id)).collect();
        Self::new(graph, &chosen)
    }

    /// Checks the systems with these ids or slugs. 422 for each that is unknown or there twice.
    pub fn of_refs(graph: Graph, systems: &[Ref]) -> Result<Self, ActionError> {
        let slugs: HashMap<&str, usize> =
            graph.nodes().iter().enumerate().map(|(at, node)| (node.slug.as_str(), at)).collect();
        let (mut chosen, mut errors) = (BTreeSet::new(), Vec::new());
        for (at, reference) in systems.iter().enumerate() {
            let found = match reference.id() {
                Some(id) => graph.position(id),
                None => slugs.get(reference.0.as_str()).copied(),
            };
            let (code, message) = match found {
                None => ("unknown", unknown(&reference.0, &slugs)),
                Some(node) if !chosen.insert(node) => {
                    ("duplicate", format!("`{}` is there twice", reference.0))
                }
                Some(_) => continue,
            };
            errors.push(ArgError::new(&format!("/systems/{at}"), code, message));
        }
        if errors.is_empty() { Self::new(graph, &chosen) } else { Err(ActionError::invalid_all(errors)) }
    }

    fn new(graph: Graph, chosen: &BTreeSet<usize>) -> Result<Self, ActionError> {
        let scope = graph.scope(chosen).map_err(|path| view::cycle(&graph, &path))?;
        Ok(Self { graph, scope })
    }

    /// Adds what is missing. Returns the scope and the systems that were added.
    pub fn with_missing(self) -> Result<(Self, Vec<SystemName>), ActionError> {
        let added: Vec<usize> = self.scope.missing.iter().map(|missing| missing.node).collect();
        let chosen = self.scope.order.iter().chain(&added).copied().collect();
        let names = added.iter().map(|node| self.graph.nodes()[*node].clone()).collect();
        Ok((Self::new(self.graph, &chosen)?, names))
    }

    /// Returns the ids of the systems, in their order.
    pub fn ids(&self) -> Vec<Id> {
        self.scope.order.iter().map(|node| self.graph.nodes()[*node].id).collect()
    }

    pub fn view(&self) -> ScopeView {
        let (graph, scope) = (&self.graph, &self.scope);
        let missing = scope.missing.iter().map(|missing| MissingSystem {
            system: graph.nodes()[missing.node].clone(),
            required_by: view::slugs(graph, &missing.required_by),
        });
        ScopeView {
            valid: scope.missing.is_empty(),
            missing: missing.collect(),
            warnings: scope.warnings.iter().map(|edge| view::link(graph, edge)).collect(),
            order: view::slugs(graph, &scope.order),
            phases: scope.phases.iter().map(|phase| view::slugs(graph, phase)).collect(),
        }
    }

    /// Returns one error for each missing system.
    fn lacks(&self) -> Vec<ArgError> {
        let lack = |missing: &MissingSystem| {
            let text =
                format!("lacks `{}`, which {} requires", missing.system.slug, quoted(&missing.required_by));
            ArgError::new("/systems", "missing", text)
        };
        self.view().missing.iter().map(lack).collect()
    }

    /// Returns the 422 of an incomplete scope.
    pub fn refuse_incomplete(&self) -> Result<(), ActionError> {
        let lacks = self.lacks();
        if lacks.is_empty() {
            return Ok(());
        }
        let hint = "add them, or give `auto_include`; `game_validate_version_scope` shows the scope";
        Err(ActionError::invalid_all(lacks).quoting(SOURCE).hint(hint))
    }

    /// Returns the 409 of a plan that has become incomplete or empty.
    pub fn refuse_outdated(&self, label: &str) -> Result<(), ActionError> {
        let lacks = self.lacks();
        if lacks.is_empty() && !self.scope.order.is_empty() {
            return Ok(());
        }
        let words: Vec<&str> = lacks.iter().take(10).map(|lack| lack.message.as_str()).collect();
        let text = if lacks.is_empty() {
            format!("plan `{label}` has no systems any more")
        } else {
            format!(
                "plan `{label}` is no longer valid: it lacks {}: {}",
                count(lacks.len(), "system"),
                words.join("; ")
            )
        };
        let mut error =
            ActionError::conflict(text).quoting(SOURCE).hint("delete the draft, and create it again");
        error.errors = lacks;
        Err(error)
    }
}

fn quoted(slugs: &[String]) -> String {
    let some: Vec<String> = slugs.iter().take(5).map(|slug| format!("`{slug}`")).collect();
    let more = if slugs.len() > some.len() { " and others" } else { "" };
    some.join(", ") + more
}

fn unknown(reference: &str, slugs: &HashMap<&str, usize>) -> String {
    let known: Vec<&str> = slugs.keys().copied().collect();
    let near = nearest(reference, &known).map(|near| format!("; did you mean `{near}`")).unwrap_or_default();
    format!("there is no system `{reference}` in this project{near}")
}
