//! A key as callers see it, without its secret.

use toolcrib_access::{Delegation, Minter, Principal, RevokedReason, Scopes, WorkspacePolicy, capped};
use toolcrib_engine::{Names, prelude::*};
use toolcrib_model::Role;
use toolcrib_store::{Tx, minters::KeyAccess};

toolcrib_model::closed_set! {
    "a key kind",
    /// Who holds a key.
    KeyKind {
        /// An application.
        Service = "service",
        /// An agent; its rights are those of the member it runs as.
        Agent = "agent",
    }
}

/// A key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyView {
    /// ID.
    pub id: Id,
    /// `agent` or `service`.
    pub kind: String,
    /// Display name.
    pub name: String,
    /// Agent that uses the key.
    pub agent_id: Option<Id>,
    /// Name of the agent.
    pub agent_name: Option<String>,
    /// Member whose role limits the agent.
    pub runs_as: Option<Id>,
    /// Name of the member.
    pub runs_as_name: Option<String>,
    /// Mission of the agent.
    pub mission: Option<Id>,
    /// Role of a service key for calls that act for no member.
    pub role: Option<String>,
    /// Scopes of the key.
    pub scopes: Vec<String>,
    /// Caller types that the key may use; the first is the default.
    pub caller_types: Vec<String>,
    /// User who created it.
    pub created_by: Option<Id>,
    /// Name of the user who created it.
    pub created_by_name: Option<String>,
    /// User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
    /// created on the command line.
    pub minters: Vec<Id>,
    /// Names of these people, in the same order; null for one without a name.
    pub minter_names: Vec<Option<String>>,
    /// Key that created this key. Revoking it revokes this key too.
    pub parent: Option<Id>,
    /// Name of that key.
    pub parent_name: Option<String>,
    /// Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
    /// no member. Null if the key has no permissions.
    pub role_now: Option<Role>,
    /// Scopes that have no effect now, each with the reason.
    pub limited_by: Vec<String>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of expiry.
    pub expires_at: Option<Ts>,
    /// Time at which the secret from before the adoption expires or expired.
    pub old_until: Option<Ts>,
    /// Time of revocation.
    pub revoked_at: Option<Ts>,
    /// Time of the last use, to the minute.
    pub last_used_at: Option<Ts>,
}

impl KeyView {
    /// Returns the keys with the names that their ids have now, and with the role and scopes that they have now under
    /// the workspace's policy.
    pub async fn all(
        tx: &mut Tx,
        keys: impl IntoIterator<Item = &KeyAccess>,
        policy: &WorkspacePolicy,
    ) -> Result<Vec<Self>, ActionError> {
        let keys = keys.into_iter().map(|access| Self::unnamed(access, policy));
        let mut keys = keys.collect::<Result<Vec<_>, _>>()?;
        let ids = keys.iter().flat_map(|key| {
            let one = [key.agent_id, key.runs_as, key.created_by, key.parent].into_iter().flatten();
            one.chain(key.minters.iter().copied())
        });
        let names = Names::read(tx, &ids.collect()).await?;
        let name = |id: Option<Id>| id.and_then(|id| names.of(id));
        for key in &mut keys {
            key.agent_name = name(key.agent_id);
            key.runs_as_name = name(key.runs_as);
            key.created_by_name = name(key.created_by);
            key.minter_names = key.minters.iter().map(|id| names.of(*id)).collect();
            key.parent_name = name(key.parent);
        }
        Ok(keys)
    }

    /// Returns one key, as [`KeyView::all`] does.
    pub async fn of(tx: &mut Tx, access: &KeyAccess, policy: &WorkspacePolicy) -> Result<Self, ActionError> {
        Ok(Self::all(tx, [access], policy).await?.remove(0))
    }

    fn unnamed(access: &KeyAccess, policy: &WorkspacePolicy) -> Result<Self, ActionError> {
        let row = &access.key;
        let held = EffectiveAccess::of(access, policy)?;
        Ok(Self {
            id: row.id,
            kind: row.kind.clone(),
            name: row.name.clone(),
            agent_id: row.agent_id,
            agent_name: None,
            runs_as: row.runs_as,
            runs_as_name: None,
            mission: row.mission_id,
            role: row.role.clone(),
            scopes: words(&row.scopes),
            caller_types: words(&row.caller_types),
            created_by: row.created_by,
            created_by_name: None,
            minters: held.minters,
            minter_names: Vec::new(),
            parent: row.parent_id,
            parent_name: None,
            role_now: held.role,
            limited_by: held.limited_by,
            created_at: row.created_at,
            expires_at: row.expires_at.map(Ts::from_micros),
            old_until: row.old_secret_until.map(Ts::from_micros),
            revoked_at: row.revoked_at.map(Ts::from_micros),
            last_used_at: row.last_used_at.map(Ts::from_micros),
        })
    }
}

fn words(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The effective role and scopes of a key, and its minters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveAccess {
    minters: Vec<Id>,
    /// The effective role. `None` if the key holds nothing.
    pub role: Option<Role>,
    pub scopes: Vec<String>,
    limited_by: Vec<String>,
}

impl EffectiveAccess {
    /// Computes the effective role and scopes of a key under the workspace's policy.
    pub fn of(access: &KeyAccess, policy: &WorkspacePolicy) -> Result<Self, ActionError> {
        let row = &access.key;
        let minters = access.minters()?.into_iter();
        let minters: Vec<Minter> =
            minters.map(|(user_id, role)| Minter { user_id, role: role.parse().ok() }).collect();
        let given = Scopes::from(Some(words(&row.scopes)));
        let subject = access.subject_role.as_deref().and_then(|role| role.parse().ok());
        let key_role = row.role.as_deref().and_then(|role| role.parse().ok());
        let principal = match (row.agent_id, row.runs_as) {
            (Some(agent_id), Some(runs_as)) => Principal::Agent { agent_id, runs_as },
            _ => Principal::Service { key_id: row.id, on_behalf_of: None },
        };
        let delegation =
            Delegation { principal, subject_role: subject, key_role, scopes: &given, minters: &minters };
        let (role, scopes, revoked) = match delegation.authority(policy) {
            Ok(held) => (held.role, held.scopes.words().unwrap_or_default(), None),
            Err(revoked) => (None, Vec::new(), Some(revoked)),
        };
        // The policy for all agents takes nothing from this key.
        let own = if row.runs_as.is_some() { subject.map(|role| capped(role, policy)) } else { key_role };
        let limited_by = limits(row.runs_as.is_some(), own, role, &words(&row.scopes), &scopes, revoked);
        Ok(Self { minters: minters.iter().map(|minter| minter.user_id).collect(), role, scopes, limited_by })
    }
}

impl EffectiveAccess {
    /// Whether the role is lower than `before`, or a scope of `before` is missing.
    pub fn less_than(&self, before: &Self) -> bool {
        self.role < before.role || before.scopes.iter().any(|scope| !self.scopes.contains(scope))
    }
}

/// Describes in sentences what a key has lost, compared with its own role and scopes.
fn limits(
    of_agent: bool,
    own: Option<Role>,
    now: Option<Role>,
    given: &[String],
    left: &[String],
    revoked: Option<RevokedReason>,
) -> Vec<String> {
    if of_agent && own.is_none() {
        return vec!["the member as whom it runs is no active member any more: it holds nothing".into()];
    }
    if revoked.is_some() {
        return vec!["a minter is no active member any more: it holds nothing until it is adopted".into()];
    }
    let mut limits = Vec::new();
    if now < own {
        limits.push(format!(
            "its role is at most `{}`: that is what its minters leave it",
            now.map_or("none", Role::as_str)
        ));
    }
    for scope in given.iter().filter(|scope| !left.contains(scope)) {
        limits.push(format!("`{scope}` does not count: its minters may not give it now"));
    }
    limits
}
