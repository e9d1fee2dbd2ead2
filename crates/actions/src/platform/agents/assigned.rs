//! Tools, skills and plugins of an agent, and what the three actions that assign them share.

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, agents::AgentRow, assignments::AssignedRow, marketplace::ItemRow};

use crate::shared::{
    items::ItemKind,
    refs::{self, Ref},
};

/// An agent by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentName {
    /// ID of the agent.
    pub id: Id,
    /// Name of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
}

impl From<AgentRow> for AgentName {
    fn from(row: AgentRow) -> Self {
        Self { id: row.id, name: row.name }
    }
}

/// A connected app that is assigned to an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssignedTool {
    /// ID of the connection.
    pub id: Id,
    /// Slug of the app, such as `slack`.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub app: String,
    /// Name of the connection.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub name: String,
    /// Time of the assignment.
    pub assigned_at: Ts,
}

impl From<AssignedRow> for AssignedTool {
    fn from(row: AssignedRow) -> Self {
        Self { id: row.id, app: row.slug, name: row.name, assigned_at: row.assigned_at }
    }
}

/// A skill or plugin that is assigned to an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssignedItem {
    /// ID of the skill or plugin.
    pub id: Id,
    /// Slug, unique among skills or among plugins.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub slug: String,
    /// Name of the skill or plugin.
    #[schemars(extend("x-untrusted" = "marketplace items"))]
    pub name: String,
    /// Time of the assignment.
    pub assigned_at: Ts,
}

impl From<AssignedRow> for AssignedItem {
    fn from(row: AssignedRow) -> Self {
        Self { id: row.id, slug: row.slug, name: row.name, assigned_at: row.assigned_at }
    }
}

/// Resolves the agent as the target of the call, and replaces the reference by its ID.
pub async fn target(cx: &mut ReadCx<'_>, agent: &mut Ref, given: &str) -> Result<Target, ActionError> {
    let row = refs::agent(cx.tx, agent).await?;
    *agent = row.id.into();
    Ok(Target {
        id: Some(row.id),
        label: format!("agent `{}`", row.name),
        detail: Some(given.to_owned()),
        ..Target::default()
    })
}

/// Returns the item of this reference. 409 if the item is not installed in the workspace.
pub async fn installed(tx: &mut Tx, kind: ItemKind, reference: &Ref) -> Result<ItemRow, ActionError> {
    let row = refs::item(tx, kind, reference).await?;
    if row.installed {
        return Ok(row);
    }
    let kind = kind.as_str();
    Err(ActionError::conflict(format!("the {kind} `{}` is not installed in this workspace", row.name))
        .quoting("marketplace items")
        .hint(format!("install it with `platform_install_{kind}` first")))
}

/// Emits the event of an assignment.
pub fn emit(cx: &mut WriteCx<'_>, what: &str, agent: Id, given: &AssignedRow) {
    let data = json!({ "agent": agent, what: given.id, "name": given.name });
    cx.emit(&format!("agent.{what}_assigned"), "agents:read", data);
}

/// Describes the call in one sentence.
pub fn describe(what: &str, name: &str, agent: &str, changed: bool) -> String {
    if changed {
        format!("Assigned {what} `{name}` to agent `{agent}`")
    } else {
        format!("Nothing to change: agent `{agent}` already has {what} `{name}`")
    }
}
