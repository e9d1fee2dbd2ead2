//! The catalogue: every action, in a fixed order.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::json;

use crate::{
    access_rule::AccessibleBy,
    digest::digest,
    lint::{Defect, lint},
    meta::ActionMeta,
    spec::ActionKind,
};

/// Every action by name, in the order of registration. Immutable once built.
#[derive(Debug)]
pub struct ActionRegistry {
    actions: IndexMap<&'static str, Arc<ActionMeta>>,
    version: String,
}

impl ActionRegistry {
    /// Checks everything and builds the catalogue, or names every defect.
    pub fn new(metas: Vec<ActionMeta>) -> Result<Self, Vec<Defect>> {
        let defects = lint(&metas);
        if !defects.is_empty() {
            return Err(defects);
        }
        let version = version(&metas);
        let actions = metas.into_iter().map(|meta| (meta.spec.name, Arc::new(meta))).collect();
        Ok(Self { actions, version })
    }

    /// An action or operation by its full name.
    pub fn get(&self, name: &str) -> Option<&Arc<ActionMeta>> {
        self.actions.get(name)
    }

    /// The actions that models and programs see, in order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values().filter(|meta| meta.spec.kind == ActionKind::Tool)
    }

    /// The operations for programs, in order.
    pub fn programs(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values().filter(|meta| meta.spec.kind == ActionKind::Operation)
    }

    /// Everything, in order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values()
    }

    /// Whether some action is for callers of this name: such a name is not everybody's to take.
    pub fn names_caller(&self, name: &str) -> bool {
        self.actions.values().any(|meta| match meta.spec.accessible_by {
            Some(AccessibleBy::Only { names, .. }) => names.contains(&name),
            _ => false,
        })
    }

    /// Where an action stands in the order of registration.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.actions.get_index_of(name)
    }

    /// Changes whenever a name, flag, description or schema does.
    pub fn version(&self) -> &str {
        &self.version
    }
}

fn version(metas: &[ActionMeta]) -> String {
    let rows = metas.iter().map(|meta| {
        let spec = &meta.spec;
        json!([spec.name, spec.description, spec.promoted, spec.permission, spec.level, meta.input.digest()])
    });
    format!("sha256:{}", digest(&rows.collect()))
}
