//! The actions that one caller may call. Every list, search and suggestion of names uses them.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{AccessFacts, Caller, Decision, PrincipalKind, WorkspacePolicy};
use toolcrib_discovery::{OverlaySearch, nearest_names};
use toolcrib_registry::{ActionKind, ActionMeta, CallerDefaults, Category, example_call};

use super::{Catalog, denial};
use crate::{base::ActionError, caller::promotions};

/// Everything about a caller that its lists and searches depend on. Callers with equal facts see one catalogue alike,
/// in whatever workspace they are. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallerFacts {
    access: AccessFacts,
    defaults: CallerDefaults,
    /// See [`WorkspacePolicy::promoted`].
    promoted: Option<Arc<[String]>>,
}

impl CallerFacts {
    fn of(caller: &Caller, policy: &WorkspacePolicy) -> Self {
        let access = AccessFacts::of(caller, policy);
        let defaults = CallerDefaults {
            mission: caller.mission.is_some(),
            agent: access.principal == PrincipalKind::Agent,
        };
        Self { access, defaults, promoted: policy.promoted.clone() }
    }
}

/// The catalogue as one caller sees it. Knows nothing of the caller but [`CallerFacts`], so that what is made of it can
/// be cached by them and the catalogue.
#[derive(Clone)]
pub struct CallerTools<'c> {
    /// The whole catalogue.
    pub catalog: &'c Catalog,
    facts: CallerFacts,
}

impl<'c> CallerTools<'c> {
    /// Makes the view of `caller`.
    pub fn new(catalog: &'c Catalog, caller: &Caller, policy: &WorkspacePolicy) -> Self {
        Self { catalog, facts: CallerFacts::of(caller, policy) }
    }

    /// Returns the view in which a pack is on or off, whatever the workspace switched.
    #[must_use]
    pub fn with_pack(&self, slug: &str, on: bool) -> Self {
        let mut tools = self.clone();
        tools.facts.access.packs = tools.facts.access.packs.with(slug, on.then_some(0));
        tools
    }

    /// Returns what the view depends on beside the catalogue.
    pub fn facts(&self) -> &CallerFacts {
        &self.facts
    }

    /// Returns what access decisions depend on.
    pub(super) fn access(&self) -> &AccessFacts {
        &self.facts.access
    }

    /// Returns the access decision about one action.
    pub fn decide(&self, meta: &ActionMeta) -> Decision {
        self.facts.access.decide(&meta.spec)
    }

    /// Returns the values that this caller has for omitted parameters.
    pub fn defaults(&self) -> CallerDefaults {
        self.facts.defaults
    }

    /// Returns the action as this caller is shown it: what only other callers may omit is required.
    pub fn shown(&self, meta: &'c Arc<ActionMeta>) -> &'c Arc<ActionMeta> {
        meta.shown_to(self.defaults())
    }

    /// Returns whether this caller may call `name`.
    pub fn is_allowed(&self, name: &str) -> bool {
        self.catalog.registry().get(name).is_some_and(|meta| self.decide(meta).allowed)
    }

    /// Returns an example of a call, as in `call` of errors: by the action's own name if it is promoted for this
    /// caller, otherwise through the dispatcher. Required parameters have placeholders in angle brackets.
    pub fn how_to_call(&self, meta: &ActionMeta) -> Value {
        example_call(meta, !self.promoted(meta))
    }

    /// Returns whether this caller gets the action as a tool of its own. Other actions are called through the
    /// dispatcher. The default applies unless the workspace promotes other actions for the caller type or
    /// agent.
    pub fn promoted(&self, meta: &ActionMeta) -> bool {
        match &self.facts.promoted {
            Some(names) => names.iter().any(|name| *name == *meta.spec.name),
            None => promotions::default_for(self.facts.access.caller_type.as_str(), meta),
        }
    }

    /// Returns an action by name as this caller is shown it, or the error for an unknown or denied action.
    pub fn find(&self, name: &str) -> Result<&'c Arc<ActionMeta>, ActionError> {
        let known = self.catalog.registry().get(name).filter(|meta| meta.spec.kind == ActionKind::Tool);
        let Some(meta) = known else { return Err(denial::unknown(self, name, None)) };
        let decision = self.decide(meta);
        if decision.allowed {
            return Ok(self.shown(meta));
        }
        Err(denial::denial(self, &meta.spec, &decision))
    }

    /// Returns the catalogue's actions that this caller may call, in order and as it is shown them.
    pub fn allowed(&self) -> Vec<&'c Arc<ActionMeta>> {
        let allowed = self.catalog.registry().tools().filter(|meta| self.decide(meta).allowed);
        allowed.map(|meta| self.shown(meta)).collect()
    }

    /// Returns the allowed actions that match a query, best first, each with its score (0 to 1).
    pub fn search(
        &self,
        query: &str,
        category: Option<Category>,
        limit: usize,
    ) -> Vec<(&'c Arc<ActionMeta>, f32)> {
        let (search, overlays) = (self.catalog.search(), self.overlays());
        let hits = search.search_with(&overlays, query, &|name| self.is_allowed(name), limit, category);
        let shown = |name: &str| Some(self.shown(self.catalog.registry().get(name)?));
        hits.iter().filter_map(|hit| Some((shown(&hit.name)?, hit.score))).collect()
    }

    /// Returns the categories that this caller's workspace has: the platform's, and those of the packs that are on.
    pub fn categories(&self) -> impl Iterator<Item = Category> {
        self.catalog.registry().categories().filter(|category| self.has(*category))
    }

    /// Returns the tools that this caller's workspace has, allowed or not: those of [`Self::categories`], and the
    /// declared ones.
    pub fn of_workspace(&self) -> impl Iterator<Item = &'c Arc<ActionMeta>> {
        self.catalog.registry().tools().filter(|meta| self.has(meta.spec.category))
    }

    fn has(&self, category: Category) -> bool {
        category.pack().is_none_or(|pack| self.facts.access.packs.contains(pack.slug))
    }

    /// Returns the search indexes of the declared tools and of the packs that are on, beside that of the platform's
    /// actions.
    pub(crate) fn overlays(&self) -> Vec<&'c OverlaySearch> {
        self.catalog.overlays(|slug| self.facts.access.packs.contains(slug))
    }

    /// Returns the actions with names similar to an unknown one, most similar first, and whether there is only one.
    /// Similarity is measured among all actions, so that a mistyped name of an action that this caller may not call is
    /// not the only suggestion of another one. Actions that the caller may not call are left out.
    pub fn near(&self, name: &str) -> (Vec<&'c Arc<ActionMeta>>, bool) {
        let registry = self.catalog.registry();
        let near = nearest_names(name, registry.tools().map(|meta| &*meta.spec.name));
        let only = near.len() == 1;
        let metas = near.into_iter().filter_map(|name| registry.get(name));
        (metas.filter(|meta| self.decide(meta).allowed).collect(), only)
    }
}
