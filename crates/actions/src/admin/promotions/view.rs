//! The promoted actions of a caller type or an agent.

use toolcrib_engine::{
    prelude::*,
    promotions::{Promotions, default_for},
};
use toolcrib_registry::ActionRegistry;
use toolcrib_store::workspaces;

use crate::shared::refs::{self, Ref};

/// What kind of caller is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Whose {
    /// All callers of this type.
    CallerType,
    /// One agent, with any caller type.
    Agent,
}

/// Promoted actions of a caller type or agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromotionView {
    /// Caller type or name of the agent.
    pub caller: String,
    /// Kind of the target.
    pub whose: Whose,
    /// ID of the agent; absent for a caller type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Id>,
    /// Promoted actions, in the order of the catalogue.
    pub actions: Vec<String>,
    /// The built-in default.
    pub built_in: bool,
}

/// The caller type or agent that a path names.
pub enum Named {
    Type(String),
    Agent(Id, String),
}

impl Named {
    /// Returns the configured caller type of this name, or else the agent with this ID or name.
    pub async fn find(cx: &mut ReadCx<'_>, text: &str) -> Result<Self, ActionError> {
        let types = &cx.tools.catalog.rules().caller_types;
        if types.iter().any(|known| known == text) {
            return Ok(Self::Type(text.to_owned()));
        }
        match refs::agent(cx.tx, &Ref(text.to_owned())).await {
            Ok(row) => Ok(Self::Agent(row.id, row.name)),
            Err(error) if error.code == ErrorCode::NotFound => Err(unknown(error, text, types)),
            Err(error) => Err(error),
        }
    }

    /// Returns the label for people.
    pub fn label(&self) -> String {
        match self {
            Self::Type(name) => format!("promotions of callers `{name}`"),
            Self::Agent(_, name) => format!("promotions of agent `{name}`"),
        }
    }

    /// Returns the stored promotions. An empty list means that nothing is promoted, `None` that the default
    /// applies.
    pub fn entry<'p>(&self, all: &'p Promotions) -> Option<&'p Vec<String>> {
        match self {
            Self::Type(name) => all.caller_types.get(name),
            Self::Agent(id, _) => all.agents.get(&id.to_string()),
        }
    }

    /// Sets the promotions, or removes them if `actions` is `None`.
    pub fn set(&self, all: &mut Promotions, actions: Option<Vec<String>>) {
        let (map, key) = match self {
            Self::Type(name) => (&mut all.caller_types, name.clone()),
            Self::Agent(id, _) => (&mut all.agents, id.to_string()),
        };
        match actions {
            Some(actions) => map.insert(key, actions),
            None => map.remove(&key),
        };
    }

    /// Returns the effective promotions: the stored ones, or else the default. The default of an agent is
    /// that of the caller type `mission`.
    pub fn view(&self, all: &Promotions, registry: &ActionRegistry) -> PromotionView {
        let said = self.entry(all);
        let (caller, whose, agent_id, acts_as) = match self {
            Self::Type(name) => (name.clone(), Whose::CallerType, None, name.as_str()),
            Self::Agent(id, name) => (name.clone(), Whose::Agent, Some(*id), "mission"),
        };
        let names = |keep: &dyn Fn(&str) -> bool| -> Vec<String> {
            let all = registry.tools().map(|meta| &*meta.spec.name);
            all.filter(|name| keep(name)).map(str::to_owned).collect()
        };
        let actions = match said {
            Some(said) => names(&|name| said.iter().any(|one| one == name)),
            None => names(&|name| registry.get(name).is_some_and(|meta| default_for(acts_as, meta))),
        };
        PromotionView { caller, whose, agent_id, actions, built_in: said.is_none() }
    }
}

/// Returns the error for an unknown agent as that of what is no caller type either.
fn unknown(error: ActionError, text: &str, types: &[String]) -> ActionError {
    let of_agents = error.hint.as_ref().map(|hint| format!("agents: {hint}; ")).unwrap_or_default();
    let hint = format!("{of_agents}caller types: {}", types.join(", "));
    let detail = format!("there is no caller type or agent `{text}` in this workspace");
    ActionError { detail, ..error.hint(hint) }
}

pub async fn stored(tx: &mut toolcrib_store::Tx) -> Result<Promotions, ActionError> {
    Promotions::read(workspaces::promotions(tx).await?.as_deref())
}
