//! The catalogue of actions, in a fixed order.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use indexmap::IndexMap;
use serde_json::json;

use crate::{
    Category, PREFIX, PackInfo, Permission,
    declared::DeclaredTools,
    digest::digest,
    lint::{Defect, lint},
    meta::ActionMeta,
    spec::ActionKind,
};

/// The number of identities that were given out.
static IDENTITIES: AtomicU64 = AtomicU64::new(0);

/// Identifies the content of a registry within this process. Registries with the same identity have the same actions.
/// An identity is never used again.
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
    packs: Arc<[&'static PackInfo]>,
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
        let mut packs: Vec<_> = metas.iter().filter_map(|meta| meta.spec.category.pack()).collect();
        packs.dedup();
        metas.iter_mut().for_each(ActionMeta::pack);
        let compiled = metas.into_iter().map(|meta| (meta.spec.name.clone(), Arc::new(meta))).collect();
        Ok(Self {
            compiled: Arc::new(compiled),
            packs: packs.into(),
            declared: Arc::default(),
            version,
            id: RegistryId::next(),
        })
    }

    /// Returns the catalogue with these declared tools in the place of its own.
    #[must_use]
    pub fn with_declared(&self, declared: Arc<DeclaredTools>) -> Self {
        let base = self.version.split_once('+').map_or(&*self.version, |(base, _)| base);
        let version =
            if declared.is_empty() { base.into() } else { format!("{base}+{}", declared.version()).into() };
        Self { declared, version, id: RegistryId::next(), ..self.clone() }
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

    /// Returns the categories of the compiled actions: the platform's, then one for each pack.
    pub fn categories(&self) -> impl Iterator<Item = Category> {
        Category::ALL.iter().copied().chain(self.packs().map(Category::Pack))
    }

    /// Returns the compiled packs, in order.
    pub fn packs(&self) -> impl Iterator<Item = &'static PackInfo> {
        self.packs.iter().copied()
    }

    /// Returns a name without the prefix of the platform or of a pack.
    pub fn bare<'n>(&self, name: &'n str) -> &'n str {
        let of_pack = || self.packs().find_map(|pack| pack.bare(name));
        name.strip_prefix(PREFIX).or_else(of_pack).unwrap_or(name)
    }

    /// Returns the permissions of the compiled actions: the platform's, then those of each pack.
    pub fn permissions(&self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().cloned().chain(self.packs().flat_map(PackInfo::permissions))
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
