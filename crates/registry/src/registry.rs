//! The catalogue of actions, in a fixed order.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::json;

use crate::{
    digest::digest,
    lint::{Defect, lint},
    meta::ActionMeta,
    spec::ActionKind,
};

/// Every action and operation by name, in the order of registration. Immutable.
#[derive(Debug)]
pub struct ActionRegistry {
    actions: IndexMap<Arc<str>, Arc<ActionMeta>>,
    version: String,
}

impl ActionRegistry {
    /// Checks the actions and builds the catalogue, or returns every defect.
    pub fn new(metas: Vec<ActionMeta>) -> Result<Self, Vec<Defect>> {
        let defects = lint(&metas);
        if !defects.is_empty() {
            return Err(defects);
        }
        let version = version(&metas);
        let actions = metas.into_iter().map(|meta| (meta.spec.name.clone(), Arc::new(meta))).collect();
        Ok(Self { actions, version })
    }

    /// Returns the action or operation with this full name.
    pub fn get(&self, name: &str) -> Option<&Arc<ActionMeta>> {
        self.actions.get(name)
    }

    /// Returns the actions for models and programs, in order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values().filter(|meta| meta.spec.kind == ActionKind::Tool)
    }

    /// Returns the operations, which are for programs only, in order.
    pub fn programs(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values().filter(|meta| meta.spec.kind == ActionKind::Operation)
    }

    /// Returns all actions and operations, in order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.actions.values()
    }

    /// Returns whether some action is granted to callers of this name. Such names are reserved.
    pub fn names_caller(&self, name: &str) -> bool {
        self.actions
            .values()
            .any(|meta| meta.spec.accessible_by.as_ref().is_some_and(|rule| rule.names(name)))
    }

    /// Returns the index of an action in the order of registration.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.actions.get_index_of(name)
    }

    /// Returns the catalogue's version. It changes whenever a name, flag, description or schema changes.
    pub fn version(&self) -> &str {
        &self.version
    }
}

fn version(metas: &[ActionMeta]) -> String {
    let rows = metas.iter().map(|meta| {
        let spec = &meta.spec;
        let flags = json!([spec.promoted, spec.caller_default]);
        json!([spec.name, spec.description, flags, spec.permission, spec.level, meta.input.digest()])
    });
    format!("sha256:{}", digest(&rows.collect()))
}
