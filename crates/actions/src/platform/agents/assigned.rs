//! What an agent was given, and what the three assigning actions share.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteCx};
use toolcrib_model::{Id, Ts};
use toolcrib_store::{Tx, agents::AgentRow, assignments::AssignedRow, marketplace::ItemRow};

use crate::shared::{
    items::Kind,
    refs::{self, Ref},
};

/// The agent that was given something.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentName {
    /// Its id.
    pub id: Id,
    /// Its name.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
}

impl From<AgentRow> for AgentName {
    fn from(row: AgentRow) -> Self {
        Self { id: row.id, name: row.name }
    }
}

/// A connected app that an agent was given.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssignedTool {
    /// The connection.
    pub id: Id,
    /// The app's slug, such as `slack`.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub app: String,
    /// What people call the connection.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub name: String,
    /// When the agent was given it.
    pub assigned_at: Ts,
}

impl From<AssignedRow> for AssignedTool {
    fn from(row: AssignedRow) -> Self {
        Self { id: row.id, app: row.slug, name: row.name, assigned_at: row.assigned_at }
    }
}

/// A skill or plugin that an agent was given.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssignedItem {
    /// The item.
    pub id: Id,
    /// Unique among its kind.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub slug: String,
    /// What people call it.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub name: String,
    /// When the agent was given it.
    pub assigned_at: Ts,
}

impl From<AssignedRow> for AssignedItem {
    fn from(row: AssignedRow) -> Self {
        Self { id: row.id, slug: row.slug, name: row.name, assigned_at: row.assigned_at }
    }
}

/// The agent as a target, with its id in place of the reference.
pub async fn target(cx: &mut ReadCx<'_>, agent: &mut Ref, given: &str) -> Result<Target, ActionError> {
    let row = refs::agent(cx.tx, agent).await?;
    *agent = row.id.into();
    Ok(Target {
        id: Some(row.id),
        label: format!("agent `{}`", row.name),
        detail: Some(given.to_owned()),
        version: None,
    })
}

/// The item that is meant; 409 where it is not installed here.
pub async fn installed(tx: &mut Tx, kind: Kind, reference: &Ref) -> Result<ItemRow, ActionError> {
    let row = refs::item(tx, kind, reference).await?;
    if row.installed {
        return Ok(row);
    }
    let kind = kind.as_str();
    Err(ActionError::conflict(format!("the {kind} `{}` is not installed in this workspace", row.name))
        .quoting("marketplace items")
        .hint(format!("install it with `platform_install_{kind}` first")))
}

/// The one that was just given, among all that the agent has.
pub fn given(rows: Vec<AssignedRow>, id: Id) -> Result<AssignedRow, ActionError> {
    rows.into_iter()
        .find(|row| row.id == id)
        .ok_or_else(|| ActionError::internal("what was just assigned is not among what the agent has"))
}

/// Tells that an agent was given something.
pub fn emit(cx: &mut WriteCx<'_>, what: &str, agent: Id, given: &AssignedRow) {
    let data = json!({ "agent": agent, what: given.id, "name": given.name });
    cx.emit(&format!("agent.{what}_assigned"), "agents:read", data);
}

/// One sentence for people.
pub fn describe(what: &str, name: &str, agent: &str, changed: bool) -> String {
    if changed {
        format!("Agent `{agent}` has {what} `{name}` now")
    } else {
        format!("Nothing to change: agent `{agent}` has {what} `{name}` already")
    }
}
