//! What the audit log says that was taken away after a backup is taken away again in the restored database. What was
//! given is not given again.
//!
//! An action that takes something from somebody has an arm in `LaterChanges::row`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolcrib_engine::chain::ExportedRow;
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{
    StoreError, WriteTx, agents, agents::AgentRow, assignments, audit, keys, members, upstreams, workspaces,
};

/// The changes of one workspace after its backup.
#[derive(Debug, Default)]
pub struct LaterChanges {
    /// What was taken away again, a sentence each.
    pub applied: Vec<String>,
    /// What was taken away, and can't be found: a sentence each.
    pub unresolved: Vec<String>,
    /// Confirmations that were approved or denied. In the backup they are not open any more.
    pub decided: u64,
    /// The other changes, which are lost: how many of each action.
    pub lost: BTreeMap<String, u64>,
    /// The agents that were created after the backup, as audit rows name them.
    created: BTreeSet<String>,
}

impl LaterChanges {
    /// Applies the rows to the transaction's workspace, in their order. Rows that the database has are left out.
    pub async fn apply<'r>(
        tx: &mut WriteTx,
        rows: impl Iterator<Item = &'r ExportedRow>,
        now: Ts,
    ) -> Result<Self, StoreError> {
        let mut changes = Self::default();
        for row in rows {
            if audit::get(tx, row.id).await?.is_none() {
                changes.row(tx, row, now).await?;
            }
        }
        if !changes.applied.is_empty() {
            workspaces::bump_access(tx).await?;
        }
        Ok(changes)
    }

    async fn row(&mut self, tx: &mut WriteTx, row: &ExportedRow, now: Ts) -> Result<(), StoreError> {
        if row.kind == "confirmation" {
            self.decided += u64::from(row.decision != "confirmation_required");
            return Ok(());
        }
        if row.outcome != "succeeded" || row.permission_level == "read" {
            return Ok(());
        }
        let arguments: Value = serde_json::from_str(&row.arguments).unwrap_or_default();
        let id = |name: &str| arguments[name].as_str().and_then(|text| Id::try_parse(text).ok());
        let applied = match row.action.as_str() {
            "keys.revoke" => revoke(tx, id("id"), now).await?,
            "keys.adopt" if arguments["new_secret"] == true => revoke(tx, id("id"), now).await?,
            "members.remove" => remove(tx, id("user_id")).await?,
            "members.update" => demote(tx, id("user_id"), &arguments, now).await?,
            "workspaces.delete" => {
                workspaces::delete(tx, now).await?;
                true
            }
            "platform_delete_agent" => return self.agent(tx, row, &arguments, now).await,
            "platform_update_agent" if arguments["status"] == "inactive" => {
                return self.agent(tx, row, &arguments, now).await;
            }
            _ => false,
        };
        if applied {
            self.applied.push(sentence(row));
        } else {
            self.lose(row);
        }
        Ok(())
    }

    fn lose(&mut self, row: &ExportedRow) {
        if row.action == "platform_create_agent" {
            self.created.extend(row.target.as_deref().and_then(quoted).map(str::to_owned));
        }
        *self.lost.entry(row.action.clone()).or_default() += 1;
    }

    /// Deactivates an agent that was deleted or deactivated, and revokes its keys.
    async fn agent(
        &mut self,
        tx: &mut WriteTx,
        row: &ExportedRow,
        arguments: &Value,
        now: Ts,
    ) -> Result<(), StoreError> {
        let named = [arguments["agent"].as_str(), row.target.as_deref().and_then(quoted)];
        let mut found = None;
        for name in named.into_iter().flatten() {
            found = match found {
                None => find_agent(tx, name).await?,
                found => found,
            };
        }
        let Some(agent) = found else {
            let is_later = named.into_iter().flatten().any(|name| self.created.contains(name));
            if is_later {
                self.lose(row);
            } else {
                self.unresolved.push(sentence(row));
            }
            return Ok(());
        };
        if row.action == "platform_delete_agent" {
            assignments::remove_all(tx, agent.id, now).await?;
        }
        let inactive = AgentRow { status: "inactive".into(), updated_at: now, ..agent };
        agents::update(tx, &inactive).await?;
        self.applied.push(format!("{}: the agent is inactive", sentence(row)));
        Ok(())
    }
}

async fn find_agent(tx: &mut WriteTx, name: &str) -> Result<Option<AgentRow>, StoreError> {
    match Id::try_parse(name) {
        Ok(id) => agents::get(tx, id).await,
        Err(_) => agents::by_name(tx, name).await,
    }
}

async fn revoke(tx: &mut WriteTx, id: Option<Id>, now: Ts) -> Result<bool, StoreError> {
    let Some(id) = id else { return Ok(false) };
    keys::revoke(tx, id, now).await
}

async fn remove(tx: &mut WriteTx, user: Option<Id>) -> Result<bool, StoreError> {
    let Some(user) = user else { return Ok(false) };
    upstreams::delete_secrets_of(tx, user).await?;
    members::delete(tx, user).await
}

/// Applies a change of a member if it takes something away.
async fn demote(tx: &mut WriteTx, user: Option<Id>, arguments: &Value, now: Ts) -> Result<bool, StoreError> {
    let Some(user) = user else { return Ok(false) };
    let Some(member) = members::get(tx, user).await? else { return Ok(false) };
    let role = |text: &str| text.parse::<Role>().ok();
    let (old, new) = (role(&member.role), arguments["role"].as_str().and_then(role));
    let lower = new.filter(|new| old.is_none_or(|old| *new < old));
    let active = member.active && arguments["active"] != false;
    if lower.is_none() && active == member.active {
        return Ok(false);
    }
    let role = lower.map_or(member.role.as_str(), |role| role.as_str());
    members::update(tx, user, role, active, now).await
}

/// Returns the name in a target such as ``agent `Writer` ``.
fn quoted(target: &str) -> Option<&str> {
    target.split_once('`')?.1.split_once('`').map(|(name, _)| name)
}

fn sentence(row: &ExportedRow) -> String {
    let target = row.target.as_deref().map(|target| format!(", {target}")).unwrap_or_default();
    format!("{} at {}{target}", row.action, row.occurred_at)
}
