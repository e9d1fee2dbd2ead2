//! Every action with the way to run it.

pub mod action;
mod caller_tools;
mod context;
pub(crate) mod denial;

use std::{collections::HashMap, sync::Arc};

use action::ActionRunner;
use toolcrib_datasources::AllowedTargets;
use toolcrib_discovery::Search;
use toolcrib_model::CallerType;
use toolcrib_registry::{ActionMeta, ActionRegistry, Defect, Level};

use crate::{audit::chain::TrustedKeys, base::secret_cipher::SecretCipher};

pub use action::{Action, ExternalAction, Input, Output, ReadAction, StatefulRead, Target, WriteAction};
pub use caller_tools::CallerTools;
pub use context::{ExternalCx, ReadCx, WriteCx};

/// The registry, the runners, and the search over them. Immutable once built; cheap to clone, because building it
/// compiles every schema and learns every phrase.
#[derive(Clone)]
pub struct Catalog {
    registry: Arc<ActionRegistry>,
    runners: Arc<HashMap<&'static str, ActionRunner>>,
    search: Arc<Search>,
    rules: OperatorRules,
}

/// What the operator decided that operations check.
#[derive(Clone, Debug)]
pub struct OperatorRules {
    /// The caller types that exist.
    pub caller_types: Vec<String>,
    /// Hosts that the `approve_url_template` of a workspace may name. Default: none.
    pub approve_hosts: Vec<String>,
    /// Who issues the tokens of users here: what an issuer is that nobody named.
    pub issuer: Option<String>,
    /// What datasources may reach, and the key that keeps what connects to them (and the secrets of webhooks).
    pub datasources: Arc<DatasourceRules>,
    /// The keys whose signatures under the audit log count. Default: none.
    pub audit_keys: TrustedKeys,
    /// The hosts that webhooks may name although they are private. Default: none.
    pub webhook_hosts: Vec<String>,
}

/// What the operator decided about datasources; nothing, unless said.
#[derive(Debug, Default)]
pub struct DatasourceRules {
    /// The servers and files that they may reach.
    pub allowed: AllowedTargets,
    /// Seals what connects to them.
    pub secret_cipher: Arc<SecretCipher>,
}

impl Default for OperatorRules {
    fn default() -> Self {
        let caller_types = CallerType::BUILT_IN.iter().map(|&name| name.to_owned()).collect();
        Self {
            caller_types,
            approve_hosts: Vec::new(),
            issuer: None,
            datasources: Arc::default(),
            audit_keys: TrustedKeys::default(),
            webhook_hosts: Vec::new(),
        }
    }
}

impl Catalog {
    /// Checks every action and builds the catalogue, or names every defect.
    pub fn new(actions: Vec<Action>) -> Result<Self, Vec<Defect>> {
        let mut metas = Vec::new();
        let mut runners = HashMap::new();
        let mut defects = Vec::new();
        for Action { meta, runner } in actions {
            match meta {
                Ok(meta) => {
                    defects.extend(mismatch(&meta.spec, &runner));
                    defects.extend(unpaged(&meta, &runner));
                    runners.insert(meta.spec.name, runner);
                    metas.push(meta);
                }
                Err(message) => defects.push(Defect { action: String::new(), message }),
            }
        }
        if !defects.is_empty() {
            return Err(defects);
        }
        let registry = ActionRegistry::new(metas)?;
        let search = Search::new(registry.tools().map(AsRef::as_ref));
        Ok(Self {
            registry: Arc::new(registry),
            runners: Arc::new(runners),
            search: Arc::new(search),
            rules: OperatorRules::default(),
        })
    }

    /// The same catalogue under the operator's rules.
    #[must_use]
    pub fn under(mut self, rules: OperatorRules) -> Self {
        self.rules = rules;
        self
    }

    /// What the operator decided.
    pub fn rules(&self) -> &OperatorRules {
        &self.rules
    }

    /// What exists.
    pub fn registry(&self) -> &ActionRegistry {
        &self.registry
    }

    /// Finds actions by words.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// Whether what an action needs is configured.
    pub fn available(&self, name: &str) -> bool {
        match self.runners.get(name) {
            Some(ActionRunner::External(runner)) => runner.available(),
            Some(_) => true,
            None => false,
        }
    }

    pub(crate) fn runner(&self, name: &str) -> Option<&ActionRunner> {
        self.runners.get(name)
    }
}

/// The way an action runs must be the one its level stands for: the context enforces the level.
fn mismatch(spec: &toolcrib_registry::Spec, runner: &ActionRunner) -> Option<Defect> {
    let fits = match runner {
        ActionRunner::Read(_) => spec.level == Level::Read && !spec.external,
        ActionRunner::External(_) => spec.level == Level::Read && spec.external,
        ActionRunner::Write(_) => spec.level >= Level::Write,
    };
    let message = "is registered in another way than its level and flags say";
    (!fits).then(|| Defect { action: spec.name.to_owned(), message: message.to_owned() })
}

/// An output with a `next_cursor` comes from a runner that says where each item ends: else a message that shows
/// less than the page would lead past what it left out.
fn unpaged(meta: &ActionMeta, runner: &ActionRunner) -> Option<Defect> {
    let has_cursor = meta.output.pointer("/properties/next_cursor").is_some();
    let paged = matches!(runner, ActionRunner::Read(runner) if runner.paged());
    let message = "its output has a `next_cursor`; a page is read and registered with `Action::paged`";
    (has_cursor && !paged).then(|| Defect { action: meta.spec.name.to_owned(), message: message.to_owned() })
}

#[cfg(test)]
mod tests;
