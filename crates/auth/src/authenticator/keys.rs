//! Verifies the keys that this service issues: of agents, services and operators. Every call reads the key's
//! row.

use toolcrib_access::Scopes;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Db, StoreError,
    keys::{self, KeyRow},
    lookup::{self, StoredKey},
};

use super::Authenticator;
use crate::{
    credential::{AgentKey, Credential, OperatorKey, ServiceKey},
    error::{AuthError, unauthenticated, unavailable},
    secret,
};

/// Minimum microseconds between two updates of a key's `last_used_at`.
const TOUCH_EVERY: i64 = 60_000_000;

impl Authenticator {
    /// Returns the credential of a key. Unknown, wrong, expired and revoked keys give the same error.
    pub(super) async fn verify_key(&self, text: &str) -> Result<Credential, AuthError> {
        let (id, secret) = secret::parse_key(text).ok_or_else(|| refused("not in the form of a key"))?;
        self.key_with_hash(id, &secret::hash(&secret)).await
    }

    /// Returns the credential of a key, one of whose valid secrets has this hash.
    pub(super) async fn key_with_hash(&self, id: Id, hash: &[u8]) -> Result<Credential, AuthError> {
        let now = self.clock.now();
        let found = lookup::key_by_id(&self.db, id).await.map_err(|error| unavailable(&error))?;
        match found.ok_or_else(|| refused("no such key"))? {
            StoredKey::Workspace(row) => {
                let old =
                    row.old_secret_hash.as_deref().filter(|_| row.old_secret_until > Some(now.as_micros()));
                let known = old.filter(|old| secret::is_same(hash, old)).unwrap_or(&row.secret_hash);
                check(hash, known, row.expires_at, row.revoked_at, now)?;
                self.touch_key(&row, now);
                credential(*row)
            }
            StoredKey::Operator(row) => {
                check(hash, &row.secret_hash, row.expires_at, row.revoked_at, now)?;
                Ok(Credential::Operator(OperatorKey { key_id: row.id, scopes: scopes(&row.scopes)? }))
            }
        }
    }

    /// Updates `last_used_at` in a task, so that the call does not wait for the write.
    fn touch_key(&self, row: &KeyRow, now: Ts) {
        let recent = |at: Ts| (0..TOUCH_EVERY).contains(&now.micros_since(at));
        if row.last_used_at.is_some_and(|at| recent(Ts::from_micros(at))) {
            return;
        }
        if self.touched.get(&row.id).is_some_and(recent) {
            return;
        }
        self.touched.insert(row.id, now);
        let (db, workspace, id, agent) = (self.db.clone(), row.workspace_id, row.id, row.agent_id);
        tokio::spawn(async move {
            if let Err(error) = note_use(&db, workspace, id, agent, now).await {
                tracing::warn!(%error, key = %id, "the last use of a key can't be noted");
            }
        });
    }
}

async fn note_use(db: &Db, workspace: Id, key: Id, agent: Option<Id>, now: Ts) -> Result<(), StoreError> {
    let mut tx = db.begin_write(workspace).await?;
    keys::touch(&mut tx, key, agent, now).await?;
    tx.commit().await
}

fn check(
    hash: &[u8],
    stored: &[u8],
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    now: Ts,
) -> Result<(), AuthError> {
    if !secret::is_same(hash, stored) {
        return Err(refused("another secret"));
    }
    if revoked_at.is_some() {
        return Err(refused("revoked"));
    }
    if expires_at.is_some_and(|at| now >= Ts::from_micros(at)) {
        return Err(refused("expired"));
    }
    Ok(())
}

fn credential(row: KeyRow) -> Result<Credential, AuthError> {
    let scopes = scopes(&row.scopes)?;
    let caller_types = serde_json::from_str(&row.caller_types).map_err(|_| inconsistent("caller types"))?;
    let (key_id, workspace) = (row.id, row.workspace_id);
    match (row.kind.as_str(), row.agent_id, row.runs_as, row.role) {
        ("agent", Some(agent_id), Some(runs_as), _) => {
            let mission = row.mission_id;
            let key = AgentKey { key_id, workspace, agent_id, runs_as, mission, scopes, caller_types };
            Ok(Credential::Agent(key))
        }
        ("service", _, _, Some(role)) => {
            Ok(Credential::Service(ServiceKey { key_id, workspace, role, scopes, caller_types }))
        }
        _ => Err(inconsistent("kind")),
    }
}

/// Parses a stored list of scopes. Never returns [`Scopes::All`], whatever the text contains.
fn scopes(text: &str) -> Result<Scopes, AuthError> {
    let words: Vec<String> = serde_json::from_str(text).map_err(|_| inconsistent("scopes"))?;
    Ok(Scopes::from(Some(words)))
}

fn inconsistent(column: &str) -> AuthError {
    AuthError::Internal(format!("a stored key's {column} can't be read"))
}

fn refused(reason: &str) -> AuthError {
    unauthenticated("the key is not valid", "use a key that is neither revoked nor expired", reason)
}
