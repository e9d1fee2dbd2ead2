//! The actions that one caller may call: what every list, search and near name is made from.

use std::sync::Arc;

use toolcrib_access::{Caller, Decision, WorkspacePolicy, decide};
use toolcrib_discovery::nearest_names;
use toolcrib_registry::{ActionKind, ActionMeta, Category};

use super::{Catalog, denial};
use crate::{base::ActionError, caller::promotions};

/// A view of the catalogue with one caller's eyes.
#[derive(Clone, Copy)]
pub struct CallerTools<'c> {
    /// Every action.
    pub catalog: &'c Catalog,
    caller: &'c Caller,
    policy: &'c WorkspacePolicy,
}

impl<'c> CallerTools<'c> {
    /// The view of `caller`.
    pub fn new(catalog: &'c Catalog, caller: &'c Caller, policy: &'c WorkspacePolicy) -> Self {
        Self { catalog, caller, policy }
    }

    /// The access decision about one action.
    pub fn decide(&self, meta: &ActionMeta) -> Decision {
        decide(self.caller, &meta.spec, self.policy)
    }

    /// Whether this caller may call `name`.
    pub fn is_allowed(&self, name: &str) -> bool {
        self.catalog.registry().get(name).is_some_and(|meta| self.decide(meta).allowed)
    }

    /// Whether this caller is shown an action as a tool of its own; the others stand behind the dispatcher. The same
    /// for everybody whose workspace said nothing about their caller type or agent.
    pub fn promoted(&self, meta: &ActionMeta) -> bool {
        match &self.policy.promoted {
            Some(names) => names.iter().any(|name| name == meta.spec.name),
            None => promotions::default_for(self.caller.caller_type.as_str(), meta),
        }
    }

    /// An action by its name, or why this caller gets none: unknown, or denied.
    pub fn find(&self, name: &str) -> Result<&'c Arc<ActionMeta>, ActionError> {
        let known = self.catalog.registry().get(name).filter(|meta| meta.spec.kind == ActionKind::Tool);
        let Some(meta) = known else { return Err(denial::unknown(self, name)) };
        let decision = self.decide(meta);
        if decision.allowed {
            return Ok(meta);
        }
        Err(denial::denial(self, self.caller, &meta.spec, &decision))
    }

    /// The catalogue's actions that this caller may call, in order.
    pub fn allowed(&self) -> Vec<&'c Arc<ActionMeta>> {
        self.catalog.registry().tools().filter(|meta| self.decide(meta).allowed).collect()
    }

    /// Those of them that answer a query, best first, each with its score (0 to 1).
    pub fn search(
        &self,
        query: &str,
        category: Option<Category>,
        limit: usize,
    ) -> Vec<(&'c Arc<ActionMeta>, f32)> {
        let hits = self.catalog.search().search(query, &|name| self.is_allowed(name), limit, category);
        hits.iter().filter_map(|hit| Some((self.catalog.registry().get(hit.name)?, hit.score))).collect()
    }

    /// Names near a wrong one, among those that this caller may call.
    pub fn near(&self, name: &str) -> Vec<&'static str> {
        nearest_names(name, self.allowed().into_iter().map(|meta| meta.spec.name))
    }
}
