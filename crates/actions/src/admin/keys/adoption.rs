//! Adoption of keys. Only a person who could create the same key now may adopt it.

use toolcrib_access::{Caller, Principal, Scope, scope_within};
use toolcrib_engine::{ActionError, WriteCx};
use toolcrib_model::{Id, Role, Ts};
use toolcrib_registry::{ActionRegistry, Permission};
use toolcrib_store::{Tx, keys, members, minters, minters::KeyAccess};

use super::grant;
use crate::admin::guard::forbidden;

/// Returns an error with the reason if this caller may not adopt the key.
pub async fn may_adopt(
    tx: &mut Tx,
    caller: &Caller,
    registry: &ActionRegistry,
    access: &KeyAccess,
    now: Ts,
) -> Result<(), ActionError> {
    let key = &access.key;
    if !matches!(caller.principal, Principal::User { .. }) {
        return Err(forbidden("a person adopts keys with their own token; a key can't"));
    }
    if key.revoked_at.is_some() || key.expires_at.is_some_and(|end| end <= now.as_micros()) {
        return Err(ActionError::conflict(format!("the key `{}` is over", key.name)).hint("make a new one"));
    }
    let words: Vec<String> = serde_json::from_str(&key.scopes).unwrap_or_default();
    let permissions: Vec<Permission> = registry.permissions().collect();
    let mut scopes = words.iter().filter_map(|word| word.parse::<Scope>().ok());
    if let Some(scope) = scopes.find(|scope| !scope_within(caller, scope, &permissions)) {
        return Err(grant::cannot_give(&scope));
    }
    if let Some(runs_as) = key.runs_as {
        return runs_as_is_there(tx, caller, runs_as).await;
    }
    let role: Option<Role> = key.role.as_deref().and_then(|role| role.parse().ok());
    grant::service_role(Some(caller), role).map(|_| ())
}

async fn runs_as_is_there(tx: &mut Tx, caller: &Caller, runs_as: Id) -> Result<(), ActionError> {
    if members::get(tx, runs_as).await?.is_none_or(|member| !member.active) {
        let detail =
            "the member as whom this agent runs is no active member any more: nobody can adopt its key";
        return Err(ActionError::conflict(detail).hint("make the agent a new key that runs as somebody else"));
    }
    grant::runs_as(tx, Some(caller), Some(runs_as)).await.map(|_| ())
}

/// Makes the caller the key's only minter and removes its parent. If there is a new secret, `new_secret` has
/// its hash and the time until which the old secret stays valid. Keys that this key created expire at that
/// time too.
pub async fn adopt(
    cx: &mut WriteCx<'_>,
    key: Id,
    new_secret: Option<(&[u8], Ts)>,
) -> Result<(), ActionError> {
    let Some(adopter) = cx.caller.principal.user() else {
        return Err(forbidden("a person adopts keys with their own token; a key can't"));
    };
    let until = new_secret.map(|(_, until)| until.as_micros());
    keys::adopt(cx.tx, key, new_secret.map(|(hash, until)| (hash, until.as_micros()))).await?;
    // A person with the old secret may have created keys with it. These keys expire with the secret.
    if let Some(until) = until {
        keys::end_children(cx.tx, key, until).await?;
    }
    Ok(minters::replace(cx.tx, key, adopter, until).await?)
}

/// Adopts the keys that the caller may adopt, skips the others, and returns the IDs of the adopted keys.
pub async fn adopt_all(cx: &mut WriteCx<'_>, keys: &[KeyAccess]) -> Result<Vec<Id>, ActionError> {
    let mut adopted = Vec::new();
    for key in keys {
        match may_adopt(cx.tx, cx.caller, cx.tools.catalog.registry(), key, cx.now).await {
            Ok(()) => {
                adopt(cx, key.key.id, None).await?;
                adopted.push(key.key.id);
            }
            Err(error) if error.code.status() >= 500 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(adopted)
}
