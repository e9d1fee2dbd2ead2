//! References: an ID **or** an exact name inside the workspace. Partial names do not match.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, name_key};
use toolcrib_registry::{is_nothing, nearest};
use toolcrib_store::{
    Tx,
    agents::{self, AgentRow},
    connections::{self, ConnectionRow},
    marketplace::{self, ItemRow},
};

pub use toolcrib_engine::shared::Ref;

use super::items::ItemKind;

/// The number of names that are read for an error. With as many, there may be more that are not known.
const MAX_NAMES: usize = 500;

/// Returns the referenced agent. 404 with similar names if there is none.
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

pub async fn optional_agent(tx: &mut Tx, reference: Option<&Ref>) -> Result<Option<AgentRow>, ActionError> {
    match reference {
        Some(reference) => agent(tx, reference).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the referenced agent, or the calling agent if there is no reference. 422 without a reference if
/// the caller is not an agent.
pub async fn agent_or_caller(
    caller: &Caller,
    tx: &mut Tx,
    reference: Option<&Ref>,
) -> Result<AgentRow, ActionError> {
    match (reference, caller.principal) {
        (Some(reference), _) => agent(tx, reference).await,
        (None, Principal::Agent { agent_id, .. }) => agent(tx, &agent_id.into()).await,
        (None, _) => {
            let message = "is required unless the call uses the key of an agent";
            Err(ActionError::invalid("/agent", "required", message))
        }
    }
}

/// Returns the referenced item by ID, slug or name, if it is approved or installed.
pub async fn item(tx: &mut Tx, kind: ItemKind, reference: &Ref) -> Result<ItemRow, ActionError> {
    let found = marketplace::find(tx, kind.as_str(), reference.as_str()).await?;
    match one(kind.as_str(), reference, found, |row| row.id)? {
        Some(row) => Ok(row),
        None => Err(missing(
            kind.as_str(),
            reference,
            &marketplace::names(tx, kind.as_str()).await?,
            kind.browse(),
        )),
    }
}

/// Returns the referenced connected app by ID, app or name.
pub async fn connection(tx: &mut Tx, reference: &Ref) -> Result<ConnectionRow, ActionError> {
    let found = match reference.id() {
        Some(id) => connections::get(tx, id).await?.into_iter().collect(),
        None => connections::by_name(tx, reference.as_str()).await?,
    };
    if let Some(row) = one("connected app", reference, found, |row| row.id)? {
        return Ok(row);
    }
    let apps = connections::apps(tx).await?;
    Err(missing("connected app", reference, &apps, "platform_list_connected_apps"))
}

/// Returns the only match of a reference. 409 with the IDs if there are several.
pub fn one<T>(
    what: &str,
    reference: &Ref,
    mut found: Vec<T>,
    id: impl Fn(&T) -> Id,
) -> Result<Option<T>, ActionError> {
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let ids: Vec<String> = found.iter().map(|row| format!("`{}`", id(row))).collect();
    let text = format!("`{}` may mean more than one {what}: {}", reference.as_str(), ids.join(", "));
    Err(ActionError::conflict(text).hint("use one of these IDs"))
}

/// Returns the source of names of this kind, which marks them as untrusted text. Returns `None` for names
/// that this service gives.
fn source(what: &str) -> Option<&'static str> {
    match what {
        "model" => None,
        "agent" => Some("agents"),
        "playbook" => Some("playbooks"),
        "blueprint" => Some("blueprints"),
        "document" => Some("documents"),
        "connected app" => Some("names of connections"),
        "datasource" => Some("names of datasources"),
        "service" => Some("answers of services"),
        _ => Some("marketplace items"),
    }
}

/// Adds the one name that the reference spells in another way, such as `weekly-report` for `Weekly Report`.
fn respelled(error: ActionError, reference: &Ref, names: &[String]) -> ActionError {
    let given = reference.as_str();
    if is_nothing(given) {
        return error.respelled(given, None);
    }
    let key = spelling(given);
    let mut same = names.iter().filter(|name| !key.is_empty() && spelling(name) == key);
    match (same.next(), same.next()) {
        (Some(name), None) if names.len() < MAX_NAMES => error.respelled(given, Some(name)),
        _ => error,
    }
}

/// Returns the letters and digits of a name, in lower case.
fn spelling(name: &str) -> String {
    name_key(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the 404 error of a reference without a match, with the most similar existing name.
pub fn missing(what: &str, reference: &Ref, names: &[String], list: &str) -> ActionError {
    let error = respelled(ActionError::not_found(what, reference.as_str()), reference, names);
    if reference.id().is_some() {
        return error.hint(format!("`{list}` lists them"));
    }
    if names.is_empty() {
        return error.hint("there are none yet");
    }
    let error = match source(what) {
        Some(source) => error.quoting(source),
        None => error,
    };
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(near) = nearest(reference.as_str(), &known) {
        return error.hint(format!("did you mean `{near}`; `{list}` lists them all"));
    }
    let some: Vec<String> = known.iter().take(5).map(|name| format!("`{name}`")).collect();
    error.hint(format!("there are {}; `{list}` lists them all", some.join(", ")))
}
