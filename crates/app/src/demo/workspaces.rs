//! Creates the two workspaces with their members, agents and keys, each in one commit.

use serde_json::json;
use toolcrib_auth::issuer::ISSUER;
use toolcrib_engine::Stamp;
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{
    Db, StoreError, WriteTx, agents, agents::AgentRow, connections, connections::ConnectionRow, models,
    workspaces::WorkspaceRow,
};

use crate::{
    administration::{
        Holder, NewKey, NewMember, add_key, add_member, add_workspace, audit_row, new_workspace,
    },
    context::AppContext,
    failure::Failure,
};

/// The app that the first workspace has connected.
pub const CONNECTED_APP: &str = "slack";
/// The length of the demo's history in days.
pub const DAYS: i64 = 21;

pub const AGENT_SCOPES: [&str; 10] = [
    "*:read",
    "tasks:use",
    "memory:use",
    "reports:use",
    "field:use",
    "missions:use",
    "missions:manage",
    "playbooks:use",
    "documents:manage",
    "schedules:manage",
];
pub const SERVICE_SCOPES: [&str; 8] = [
    "*:read",
    "*:use",
    "agents:*",
    "playbooks:*",
    "act_as",
    "approvals:relay",
    "records:write",
    "events:read",
];

/// The initial data of a workspace. `agent` is name, role and description.
#[derive(Debug)]
pub struct Plan {
    pub name: &'static str,
    prefix: &'static str,
    model: &'static str,
    agent: (&'static str, &'static str, &'static str),
}

impl Plan {
    /// Returns the `sub` of the user with this role.
    pub fn subject(&self, role: Role) -> String {
        format!("{}{role}", self.prefix)
    }
}

/// The workspace that the printed commands use.
pub const FIRST: Plan = Plan {
    name: "Harbour Goods",
    prefix: "",
    model: "gpt-4o-mini",
    agent: (
        "Support Desk",
        "chatbot",
        "Answers customers' questions about orders, returns and opening hours",
    ),
};

/// Another tenant, which shows that workspaces are isolated.
pub const SECOND: Plan = Plan {
    name: "Lantern Labs",
    prefix: "second-",
    model: "claude-haiku-4-5-20251001",
    agent: ("Lab Assistant", "researcher", "Collects measurements and writes them up"),
};

#[derive(Clone, Debug)]
pub struct DemoWorkspace {
    pub id: Id,
    pub plan: &'static Plan,
    /// User IDs by role, from viewer to owner.
    pub people: [Id; 5],
    /// The agent that holds the agent key.
    pub agent: Id,
    /// The secret text of the agent key.
    pub agent_key: String,
    /// The secret text of the service key.
    pub service_key: String,
}

impl DemoWorkspace {
    pub fn user(&self, role: Role) -> Id {
        let at = Role::ALL.iter().position(|each| *each == role).unwrap_or(0);
        self.people.get(at).copied().unwrap_or_default()
    }
}

/// Returns when the history begins: at 07:00 UTC, [`DAYS`] days ago. It ends yesterday.
pub fn began(now: Ts) -> Ts {
    let midnight = now.as_seconds().div_euclid(86_400) * 86_400;
    Ts::from_micros(0).plus_seconds(midnight).plus_days(-DAYS).plus_seconds(7 * 3_600)
}

/// Creates a workspace with its members, one agent and two keys.
pub async fn create(
    context: &AppContext,
    db: &Db,
    at: Ts,
    plan: &'static Plan,
) -> Result<DemoWorkspace, Failure> {
    let stamp = Stamp { now: at, ..context.stamp() };
    let row = WorkspaceRow {
        default_model: Some(plan.model.into()),
        ..new_workspace(stamp, plan.name.into(), None)
    };
    let mut tx = db.begin_write(row.id).await?;
    add_workspace(&mut tx, stamp, &row).await?;
    let people = people(&mut tx, stamp, plan).await?;
    fittings(&mut tx, stamp, plan, people[4]).await?;
    let agent = agent(&mut tx, stamp, plan, people[4]).await?;
    let agent_key = add_key(&mut tx, stamp, &agent_key(agent, people[2])).await?;
    let service_key = add_key(&mut tx, stamp, &service_key()).await?;
    tx.commit().await?;
    Ok(DemoWorkspace { id: row.id, plan, people, agent, agent_key, service_key })
}

pub fn display_name(role: Role) -> String {
    format!("Demo {role}")
}

async fn people(tx: &mut WriteTx, stamp: Stamp<'_>, plan: &Plan) -> Result<[Id; 5], StoreError> {
    let mut found = [Id::nil(); 5];
    for (role, id) in Role::ALL.into_iter().zip(&mut found) {
        let (subject, name) = (plan.subject(role), Some(display_name(role)));
        *id = add_member(tx, stamp, &NewMember { issuer: ISSUER.into(), subject, role, name }).await?;
    }
    Ok(found)
}

/// Installs the default model and connects an app.
async fn fittings(tx: &mut WriteTx, stamp: Stamp<'_>, plan: &Plan, by: Id) -> Result<(), StoreError> {
    let (now, id) = (stamp.now, stamp.new_id());
    models::install(tx, id, plan.model, Some(by), now).await?;
    let arguments = json!({ "model": plan.model });
    let target = Some(format!("model `{}`", plan.model));
    tx.audit(audit_row(stamp, tx.workspace(), "platform_install_model", &arguments, target));
    let row = ConnectionRow {
        id: stamp.new_id(),
        app: CONNECTED_APP.into(),
        name: "Slack".into(),
        created_by: Some(by),
        created_at: now,
    };
    connections::insert(tx, &row).await?;
    let arguments = json!({ "app": row.app, "name": row.name });
    let target = Some(format!("connected app `{}`", row.name));
    tx.audit(audit_row(stamp, tx.workspace(), "connections.create", &arguments, target));
    Ok(())
}

async fn agent(tx: &mut WriteTx, stamp: Stamp<'_>, plan: &Plan, by: Id) -> Result<Id, StoreError> {
    let (name, role, description) = plan.agent;
    let row = AgentRow {
        id: stamp.new_id(),
        name: name.into(),
        slug: name.to_lowercase().replace(' ', "-"),
        role: role.into(),
        model: plan.model.into(),
        status: "active".into(),
        description: Some(description.into()),
        system_prompt: Some("Be brief and friendly. Say so when you do not know.".into()),
        temperature: Some(0.3),
        tags: vec!["demo".to_owned()],
        version: 1,
        created_by: Some(by),
        created_at: stamp.now,
        updated_at: stamp.now,
        last_active_at: None,
    };
    agents::insert(tx, &row).await?;
    let arguments = json!({ "name": name, "role": role });
    let target = Some(format!("agent `{name}`"));
    tx.audit(audit_row(stamp, tx.workspace(), "platform_create_agent", &arguments, target));
    Ok(row.id)
}

fn agent_key(agent_id: Id, runs_as: Id) -> NewKey {
    NewKey {
        name: "demo agent".into(),
        scopes: AGENT_SCOPES.map(str::to_owned).into(),
        caller_types: ["mission", "heartbeat", "playbook"].map(str::to_owned).into(),
        holder: Holder::Agent { agent_id, runs_as, mission: None },
        expires_at: None,
    }
}

fn service_key() -> NewKey {
    NewKey {
        name: "demo chat backend".into(),
        scopes: SERVICE_SCOPES.map(str::to_owned).into(),
        caller_types: ["chat", "knowledge_qa", "channel", "api"].map(str::to_owned).into(),
        holder: Holder::Service(Role::Editor),
        expires_at: None,
    }
}
