//! Which actions a caller gets as tools of their own. The catalogue defines the default, and a workspace can
//! set another list for a caller type or an agent. Promotion decides which tools a model is shown first. It
//! does not decide what the caller may call.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ActionMeta, Category};

use crate::base::ActionError;

/// Caller types of agents that work without a person: they need their field and their tasks, not the marketplace.
pub const UNATTENDED_CALLER_TYPES: [&str; 2] = ["mission", "heartbeat"];

/// The promoted actions that a workspace sets instead of the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promotions {
    #[serde(default)]
    pub caller_types: BTreeMap<String, Vec<String>>,
    /// By agent id. An agent's list replaces that of its caller type.
    #[serde(default)]
    pub agents: BTreeMap<String, Vec<String>>,
}

impl Promotions {
    /// Parses the stored JSON.
    pub fn read(stored: Option<&str>) -> Result<Self, ActionError> {
        let Some(text) = stored else { return Ok(Self::default()) };
        serde_json::from_str(text).map_err(|cause| {
            let detail = "the workspace's promotions can't be read";
            ActionError::new(ErrorCode::AuthorizationUnavailable, detail).caused_by(cause.to_string())
        })
    }

    /// Returns the JSON to store; `None` if nothing is set.
    pub fn write(&self) -> Option<String> {
        let said = !self.caller_types.is_empty() || !self.agents.is_empty();
        said.then(|| serde_json::json!(self).to_string())
    }

    fn of(&self, caller_type: &str, agent: Option<Id>) -> Option<&Vec<String>> {
        let own = agent.and_then(|id| self.agents.get(&id.to_string()));
        own.or_else(|| self.caller_types.get(caller_type))
    }
}

/// Returns what the workspace promotes for one caller; `None` if the default applies.
pub(crate) fn of_caller(stored: Option<&str>, caller: &Caller) -> Result<Option<Arc<[String]>>, ActionError> {
    if stored.is_none() {
        return Ok(None);
    }
    let agent = match caller.principal {
        Principal::Agent { agent_id, .. } => Some(agent_id),
        _ => None,
    };
    let all = Promotions::read(stored)?;
    Ok(all.of(caller.caller_type.as_str(), agent).map(|names| names.as_slice().into()))
}

/// Returns whether an action is promoted by default for a caller type.
pub fn default_for(caller_type: &str, meta: &ActionMeta) -> bool {
    if UNATTENDED_CALLER_TYPES.contains(&caller_type) {
        let spec = &meta.spec;
        return spec.promoted_unattended || (spec.promoted && spec.category != Category::Marketplace);
    }
    meta.spec.promoted
}

#[cfg(test)]
mod tests;
