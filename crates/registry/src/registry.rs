//! The catalogue of actions, in a fixed order.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use indexmap::IndexMap;
use serde_json::json;

use crate::{
    declared::DeclaredTools,
    digest::digest,
    lint::{Defect, lint},
    meta::ActionMeta,
    spec::ActionKind,
};

/// The number of identities that were given out.
static IDENTITIES: AtomicU64 = AtomicU64::new(0);

/// Identifies the content of a registry within this process. Registries with the same identity have the same actions. An
/// identity is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegistryId(u64);

impl RegistryId {
    fn next() -> Self {
        Self(IDENTITIES.fetch_add(1, Ordering::Relaxed))
    }
}

/// Every action and operation by name: the compiled ones in the order of registration, then the declared tools of
/// one workspace, if there are any. Immutable. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ActionRegistry {
    compiled: Arc<IndexMap<Arc<str>, Arc<ActionMeta>>>,
    declared: Arc<DeclaredTools>,
    version: Arc<str>,
    id: RegistryId,
}

impl ActionRegistry {
    /// Checks the actions and builds the catalogue, or returns every defect.
    pub fn new(mut metas: Vec<ActionMeta>) -> Result<Self, Vec<Defect>> {
        let defects = lint(&metas);
        if !defects.is_empty() {
            return Err(defects);
        }
        let version = version(&metas).into();
        metas.iter_mut().for_each(ActionMeta::pack);
        let compiled = metas.into_iter().map(|meta| (meta.spec.name.clone(), Arc::new(meta))).collect();
        Ok(Self { compiled: Arc::new(compiled), declared: Arc::default(), version, id: RegistryId::next() })
    }

    /// Returns the catalogue with these declared tools in the place of its own.
    #[must_use]
    pub fn with_declared(&self, declared: Arc<DeclaredTools>) -> Self {
        let base = self.version.split_once('+').map_or(&*self.version, |(base, _)| base);
        let version =
            if declared.is_empty() { base.into() } else { format!("{base}+{}", declared.version()).into() };
        Self { compiled: self.compiled.clone(), declared, version, id: RegistryId::next() }
    }

    /// Returns what identifies the content of this registry within the process. Clones share it.
    pub fn id(&self) -> RegistryId {
        self.id
    }

    pub fn declared(&self) -> &DeclaredTools {
        &self.declared
    }

    /// Returns the action or operation with this full name.
    pub fn get(&self, name: &str) -> Option<&Arc<ActionMeta>> {
        self.compiled.get(name).or_else(|| self.declared.get(name))
    }

    /// Returns the actions for models and programs, in order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.all().filter(|meta| meta.spec.kind == ActionKind::Tool)
    }

    /// Returns the operations, which are for programs only, in order.
    pub fn programs(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.compiled.values().filter(|meta| meta.spec.kind == ActionKind::Operation)
    }

    /// Returns all actions and operations, in order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.compiled().chain(self.declared.iter())
    }

    /// Returns the actions and operations that no workspace declares, in order.
    pub fn compiled(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.compiled.values()
    }

    /// Returns whether some action is granted to callers of this name. Such names are reserved.
    pub fn names_caller(&self, name: &str) -> bool {
        self.all().any(|meta| meta.spec.accessible_by.as_ref().is_some_and(|rule| rule.names(name)))
    }

    /// Returns the index of an action in the order of the catalogue.
    pub fn position(&self, name: &str) -> Option<usize> {
        let declared = || Some(self.compiled.len() + self.declared.position(name)?);
        self.compiled.get_index_of(name).or_else(declared)
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
