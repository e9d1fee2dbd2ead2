//! The catalogue: every action with its runner.

pub mod action;
mod caller_tools;
pub(crate) mod catalog_tool;
mod context;
pub(crate) mod denial;
pub(crate) mod discovered;
pub(crate) mod mcp_sessions;
pub mod model_upstreams;
pub mod packs;
mod pins;
mod probe;
pub(crate) mod query_names;
mod service;
pub mod upstreams;
pub mod workspace_catalogs;
pub mod workspace_toolsets;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, OnceLock},
};

use action::ActionRunner;
use catalog_tool::CatalogTool;
use toolcrib_access::EnabledPacks;
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_datasources::AllowedTargets;
use toolcrib_discovery::{OverlaySearch, Search};
use toolcrib_model::CallerType;
use toolcrib_registry::{ActionKind, ActionMeta, ActionRegistry, Defect, Level};
use toolcrib_store::PackSchema;
use toolcrib_toolset::CheckedToolset;

use crate::{audit::chain::TrustedKeys, base::compute_large};

pub use action::{
    Action, EffectAction, EffectCall, ExternalAction, Found, Input, Output, ReadAction, Ready, Resolved,
    Sent, Target, WriteAction,
};
pub use caller_tools::{CallerFacts, CallerTools};
pub use context::{ExternalCx, ReadCx, WriteCx};
pub use mcp_sessions::DiscoveredNow;
pub use packs::{CatalogPack, Pack, PackSettings, UpstreamNeed, pack_settings};
pub use pins::{PinState, PinnedTool, UpstreamPins};
pub use probe::{ProbeProblem, Probed};
pub use query_names::mask_query;
pub use service::{Service, ServiceAnswer, ServiceError, is_service_set};
use upstreams::CatalogUpstream;
pub use workspace_toolsets::WorkspaceToolset;

/// The search index of the platform's actions, which the first search builds.
pub type SearchIndex = Arc<OnceLock<Search>>;

/// The registry, the runners and the search index. Immutable. Cheap to clone. Building it compiles every schema.
#[derive(Clone)]
pub struct Catalog {
    registry: ActionRegistry,
    runners: Arc<HashMap<Arc<str>, ActionRunner>>,
    search: SearchIndex,
    /// The search index of the declared tools, built at the first search.
    declared_search: Arc<OnceLock<OverlaySearch>>,
    rules: Arc<OperatorRules>,
    packs: Arc<[CatalogPack]>,
    /// What the gates need of each declared tool.
    declared: Arc<HashMap<Arc<str>, CatalogTool>>,
    /// The workspace's upstreams that actions of packs can ask.
    services: Arc<BTreeSet<String>>,
    /// The catalogue over MCP, if it is another one.
    without_client_tools: Option<Arc<Catalog>>,
    /// About how many bytes the declared tools need.
    bytes: usize,
}

/// Settings of the operator that operations check.
#[derive(Clone, Debug)]
pub struct OperatorRules {
    /// The known caller types.
    pub caller_types: Vec<String>,
    /// Hosts that the `approve_url_template` of a workspace may name. Default: none.
    pub approve_hosts: Vec<String>,
    /// Whether people sign in to the console through an identity provider, as invitations need. Default: yes.
    pub provider_sign_in: bool,
    /// The issuer of user tokens; the default if a request names no issuer.
    pub issuer: Option<String>,
    /// The rules for datasources, with the key that encrypts their URLs and the secrets of webhooks and
    /// upstreams.
    pub datasources: Arc<DatasourceRules>,
    /// The keys whose signatures of the audit log are accepted. Default: none.
    pub audit_keys: TrustedKeys,
    /// The operator's toolsets, by slug. Default: none.
    pub toolsets: Vec<Arc<CheckedToolset>>,
    /// The upstreams that the operator's toolsets declare, with their secrets. Default: none.
    pub upstreams: Vec<Arc<CatalogUpstream>>,
    /// Private hosts that upstreams may nevertheless name, also over `http`. Default: none.
    pub upstream_hosts: Vec<String>,
    /// Whether workspaces may have upstreams of their own. Default: yes.
    pub workspace_upstreams: bool,
    /// The service's own URL, which no upstream may name.
    pub public_url: Option<String>,
    /// Private hosts that webhooks may nevertheless name. Default: none.
    pub webhook_hosts: Vec<String>,
}

/// Settings of the operator for datasources. Default: nothing is allowed.
#[derive(Debug, Default)]
pub struct DatasourceRules {
    /// The servers and files that datasources may connect to.
    pub allowed: AllowedTargets,
    /// Encrypts the datasources' URLs.
    pub secret_cipher: Arc<SecretCipher>,
}

impl Default for OperatorRules {
    fn default() -> Self {
        let caller_types = CallerType::BUILT_IN.iter().map(|&name| name.to_owned()).collect();
        Self {
            caller_types,
            approve_hosts: Vec::new(),
            provider_sign_in: true,
            issuer: None,
            datasources: Arc::default(),
            audit_keys: TrustedKeys::default(),
            toolsets: Vec::new(),
            upstreams: Vec::new(),
            upstream_hosts: Vec::new(),
            workspace_upstreams: true,
            public_url: None,
            webhook_hosts: Vec::new(),
        }
    }
}

impl Catalog {
    /// Checks every action and builds the catalogue. Returns all defects if there are any.
    pub fn new(actions: Vec<Action>) -> Result<Self, Vec<Defect>> {
        Self::with_packs(actions, &[], None)
    }

    /// Like [`Self::new`], with the actions of packs after the others. Of the packs, workspaces can switch on those
    /// that are `offered`; `None` offers all.
    pub fn with_packs(
        mut actions: Vec<Action>,
        packs: &[Pack],
        offered: Option<&[String]>,
    ) -> Result<Self, Vec<Defect>> {
        let packs = packs::register(packs, offered, &mut actions)?;
        let mut metas = Vec::new();
        let mut runners = HashMap::new();
        let mut defects = Vec::new();
        for Action { meta, runner } in actions {
            match meta {
                Ok(meta) => {
                    defects.extend(mismatch(&meta.spec, &runner));
                    defects.extend(unpaged(&meta, &runner));
                    runners.insert(meta.spec.name.clone(), runner);
                    metas.push(meta);
                }
                Err(message) => defects.push(Defect { action: String::new(), message }),
            }
        }
        if !defects.is_empty() {
            return Err(defects);
        }
        let registry = ActionRegistry::new(metas)?;
        Ok(Self {
            registry,
            runners: Arc::new(runners),
            search: Arc::default(),
            declared_search: Arc::default(),
            rules: Arc::default(),
            packs: packs.into(),
            declared: Arc::default(),
            services: Arc::default(),
            without_client_tools: None,
            bytes: 0,
        })
    }

    /// Replaces the operator's rules.
    #[must_use]
    pub fn under(mut self, rules: OperatorRules) -> Self {
        self.rules = Arc::new(rules);
        self
    }

    pub fn rules(&self) -> &OperatorRules {
        &self.rules
    }

    /// Replaces the search index by that of a catalogue with the same compiled actions.
    #[must_use]
    pub fn with_index(mut self, index: SearchIndex) -> Self {
        self.search = index;
        self
    }

    /// Returns the search index, to be shared with a catalogue that has the same compiled actions.
    pub fn index(&self) -> SearchIndex {
        self.search.clone()
    }

    pub fn registry(&self) -> &ActionRegistry {
        &self.registry
    }

    /// Returns the search index of the platform's actions. The first call builds it, which takes the time of hundreds
    /// of searches; `serve` makes that call in a thread of its own.
    pub fn search(&self) -> &Search {
        let is_own = |meta: &&Arc<ActionMeta>| {
            meta.spec.kind == ActionKind::Tool && meta.spec.category.pack().is_none()
        };
        let tools = || self.registry.compiled().filter(is_own);
        let build = || self.search.get_or_init(|| Search::new(tools().map(AsRef::as_ref)));
        self.search.get().unwrap_or_else(|| compute_large(usize::MAX, build))
    }

    /// Returns the search index of the declared tools; `None` without any.
    pub fn declared_search(&self) -> Option<&OverlaySearch> {
        let declared = self.registry.declared();
        let build = || self.compute(|| OverlaySearch::new(declared.iter().map(AsRef::as_ref)));
        (!declared.is_empty()).then(|| self.declared_search.get_or_init(build))
    }

    /// Returns the compiled packs, in order.
    pub fn packs(&self) -> &[CatalogPack] {
        &self.packs
    }

    /// Returns the packs that are on in a workspace, if the operator still offers them.
    pub fn packs_on(&self, on: &EnabledPacks) -> impl Iterator<Item = &CatalogPack> {
        self.packs.iter().filter(|pack| pack.offered && on.contains(pack.slug()))
    }

    /// Returns the tables of the compiled packs.
    pub fn pack_schemas(&self) -> Vec<Arc<PackSchema>> {
        self.packs.iter().filter_map(|pack| pack.pack.schema.clone()).collect()
    }

    /// Returns the search indexes beside [`Self::search`]: of the declared tools, and of the packs for which `on` is
    /// true.
    pub fn overlays(&self, on: impl Fn(&str) -> bool) -> Vec<&OverlaySearch> {
        let on = self.packs.iter().filter(|pack| on(pack.slug()));
        let of_packs = on.map(|pack| pack.search(self.registry.compiled().map(AsRef::as_ref)));
        self.declared_search().into_iter().chain(of_packs).collect()
    }

    /// Computes something of all tools. If they are large, the other tasks of the thread move to another thread
    /// meanwhile.
    pub fn compute<T>(&self, compute: impl FnOnce() -> T) -> T {
        compute_large(self.bytes, compute)
    }

    /// Returns whether everything that the action needs is configured.
    pub fn available(&self, name: &str) -> bool {
        let any_set =
            |names: &[&str]| names.is_empty() || names.iter().any(|name| self.services.contains(*name));
        match self.runners.get(name) {
            Some(ActionRunner::External(runner)) => runner.available() && any_set(runner.services()),
            Some(ActionRunner::Effect(runner)) => any_set(runner.services()),
            Some(_) => true,
            None => self.declared(name).is_some_and(CatalogTool::is_available),
        }
    }

    /// Returns what the gates need of a declared tool; `None` for an action.
    pub(crate) fn declared(&self, name: &str) -> Option<&CatalogTool> {
        self.declared.get(name)
    }

    pub(crate) fn runner(&self, name: &str) -> Option<&ActionRunner> {
        self.runners.get(name)
    }

    /// Returns the names of the actions that have an effect at a service.
    pub(crate) fn effects(&self) -> impl Iterator<Item = &str> {
        let effects = self.runners.iter().filter(|(_, runner)| matches!(runner, ActionRunner::Effect(_)));
        effects.map(|(name, _)| &**name)
    }
}

/// Returns a defect if an action's runner does not match its level. The runner's context enforces the level.
fn mismatch(spec: &toolcrib_registry::Spec, runner: &ActionRunner) -> Option<Defect> {
    let fits = match runner {
        ActionRunner::Read(_) => spec.level == Level::Read && !spec.external,
        ActionRunner::External(_) => spec.level == Level::Read && spec.external,
        ActionRunner::Effect(_) => {
            spec.level >= Level::Write && spec.external && spec.category.pack().is_some()
        }
        ActionRunner::Write(_) => spec.level >= Level::Write && !spec.external,
    };
    let message = "is registered in another way than its level and flags say";
    (!fits).then(|| Defect { action: spec.name.to_string(), message: message.to_owned() })
}

/// Returns a defect if an output has a `next_cursor` but its runner reports no cursor for each item. A
/// message that shows only a part of the page needs these cursors to continue after the last shown item.
fn unpaged(meta: &ActionMeta, runner: &ActionRunner) -> Option<Defect> {
    let has_cursor = meta.output.value().pointer("/properties/next_cursor").is_some();
    let paged = matches!(runner, ActionRunner::Read(runner) if runner.paged());
    let message = "its output has a `next_cursor`; a page is read and registered with `Action::paged`";
    (has_cursor && !paged).then(|| Defect { action: meta.spec.name.to_string(), message: message.to_owned() })
}

#[cfg(test)]
pub(crate) mod tests;
