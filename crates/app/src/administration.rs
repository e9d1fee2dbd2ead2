//! Changes that the command line and the demo make without a caller: workspaces, members and keys. Each
//! change inserts an audit row in the same commit.

use serde_json::{Value, json};
use toolcrib_auth::secret;
use toolcrib_engine::{Stamp, policy};
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{
    AuditRow, StoreError, WriteTx, keys,
    keys::KeyRow,
    members,
    users::{self, UserRow},
    workspaces::{self, WorkspaceRow},
};

#[derive(Clone, Debug)]
pub struct NewMember {
    /// The issuer of their tokens.
    pub issuer: String,
    /// `sub` of their tokens.
    pub subject: String,
    pub role: Role,
    /// Their display name.
    pub name: Option<String>,
}

#[derive(Clone, Debug)]
pub struct NewKey {
    pub name: String,
    pub scopes: Vec<String>,
    /// The caller types that may use the key.
    pub caller_types: Vec<String>,
    pub holder: Holder,
    /// When the key expires. It never does if this is `None`.
    pub expires_at: Option<Ts>,
}

#[derive(Clone, Debug)]
pub enum Holder {
    Service(Role),
    /// An agent whose permissions are limited by a member's role.
    Agent {
        agent_id: Id,
        /// The member.
        runs_as: Id,
        /// The only mission in which the agent may work.
        mission: Option<Id>,
    },
}

/// Returns a workspace with the default settings.
pub fn new_workspace(stamp: Stamp<'_>, name: String, external_id: Option<String>) -> WorkspaceRow {
    let settings = policy::default_settings();
    WorkspaceRow::new(stamp.new_id(), name, external_id, settings, stamp.now)
}

/// Inserts a workspace. The transaction must be bound to the same workspace.
pub async fn add_workspace(tx: &mut WriteTx, stamp: Stamp<'_>, row: &WorkspaceRow) -> Result<(), StoreError> {
    workspaces::insert(tx, row).await?;
    let arguments = json!({ "name": row.name, "external_id": row.external_id });
    tx.audit(audit_row(
        stamp,
        row.id,
        "workspaces.create",
        &arguments,
        Some(format!("workspace `{}`", row.name)),
    ));
    Ok(())
}

/// Adds a member and returns their user ID.
pub async fn add_member(tx: &mut WriteTx, stamp: Stamp<'_>, member: &NewMember) -> Result<Id, StoreError> {
    let person = UserRow {
        id: users::id_of(&member.issuer, &member.subject),
        issuer: member.issuer.clone(),
        subject: member.subject.clone(),
        display_name: member.name.clone(),
        created_at: stamp.now,
    };
    let user_id = users::ensure(tx, &person).await?;
    members::insert(tx, user_id, member.role.as_str(), member.name.as_deref(), stamp.now).await?;
    workspaces::bump_access(tx).await?;
    let arguments = json!({ "subject": member.subject, "issuer": member.issuer, "role": member.role });
    let target = Some(format!("member `{}`", member.subject));
    tx.audit(audit_row(stamp, tx.workspace(), "members.add", &arguments, target));
    Ok(user_id)
}

/// Creates a key and returns its secret text, which is not stored.
pub async fn add_key(tx: &mut WriteTx, stamp: Stamp<'_>, key: &NewKey) -> Result<String, StoreError> {
    let (id, bytes) = (stamp.new_id(), stamp.ids.secret());
    let (kind, role, agent_id, runs_as, mission_id) = match key.holder {
        Holder::Service(role) => ("service", Some(role.to_string()), None, None, None),
        Holder::Agent { agent_id, runs_as, mission } => {
            ("agent", None, Some(agent_id), Some(runs_as), mission)
        }
    };
    let row = KeyRow {
        workspace_id: tx.workspace(),
        id,
        kind: kind.into(),
        name: key.name.clone(),
        secret_hash: secret::hash(&bytes).to_vec(),
        agent_id,
        runs_as,
        mission_id,
        role,
        scopes: json!(key.scopes).to_string(),
        caller_types: json!(key.caller_types).to_string(),
        created_by: None,
        created_at: stamp.now,
        expires_at: key.expires_at.map(Ts::as_micros),
        revoked_at: None,
        last_used_at: None,
        parent_id: None,
        old_secret_hash: None,
        old_secret_until: None,
    };
    keys::insert(tx, &row).await?;
    let arguments = json!({ "kind": kind, "name": key.name, "scopes": key.scopes, "role": row.role,
        "agent": agent_id, "runs_as": runs_as, "mission": mission_id, "caller_types": key.caller_types });
    tx.audit(audit_row(
        stamp,
        tx.workspace(),
        "keys.create",
        &arguments,
        Some(format!("key `{}`", key.name)),
    ));
    Ok(secret::format_key(id, &bytes))
}

/// Returns the audit row of a change that has no caller. Its principal is `operator` with the nil ID.
pub fn audit_row(
    stamp: Stamp<'_>,
    workspace: Id,
    action: &str,
    arguments: &Value,
    target: Option<String>,
) -> AuditRow {
    let id = stamp.new_id();
    AuditRow {
        arguments: arguments.to_string(),
        target,
        ..AuditRow::of_operator(workspace, id, stamp.now, action)
    }
}
