//! References: an id **or** an exact name inside the workspace. No partial matches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::ActionError;
use toolcrib_model::Id;
use toolcrib_registry::nearest;
use toolcrib_store::{Tx, agents, agents::AgentRow};

/// An id or an exact name, in any case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Ref(#[schemars(length(min = 1, max = 200))] pub String);

impl Ref {
    /// The id, where it is one.
    pub fn id(&self) -> Option<Id> {
        Id::try_parse(&self.0).ok()
    }

    /// What was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Id> for Ref {
    fn from(id: Id) -> Self {
        Self(id.to_string())
    }
}

/// The agent that is meant; 404 with near names where there is none.
pub async fn agent(tx: &mut Tx, reference: &Ref) -> Result<AgentRow, ActionError> {
    let found = match reference.id() {
        Some(id) => agents::get(tx, id).await?,
        None => agents::by_name(tx, reference.as_str()).await?,
    };
    match found {
        Some(row) => Ok(row),
        None => Err(missing("agent", reference, &agents::names(tx).await?, "platform_list_agents")),
    }
}

/// 404 for a reference that nothing has, with the nearest of the names that are there.
pub fn missing(what: &str, reference: &Ref, names: &[String], list: &str) -> ActionError {
    let error = ActionError::not_found(what, reference.as_str());
    if reference.id().is_some() {
        return error.hint(format!("`{list}` lists them"));
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(reference.as_str(), &known) {
        Some(near) => error.hint(format!("did you mean `{near}`; `{list}` lists them all")),
        None if known.is_empty() => error.hint("there are none yet"),
        None => {
            let some: Vec<String> = known.iter().take(5).map(|name| format!("`{name}`")).collect();
            error.hint(format!("there are {}; `{list}` lists them all", some.join(", ")))
        }
    }
}
