//! Records the minters of a new key, and limits keys that are created with another key.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, WriteTx, keys, keys::KeyRow, minters};

use crate::admin::guard::forbidden;

/// Returns the key that creates the new one, or `None` if a person creates it. 403 if the creating key was
/// itself created by a key.
pub async fn parent(tx: &mut Tx, caller: &Caller) -> Result<Option<KeyRow>, ActionError> {
    if !matches!(caller.principal, Principal::Service { .. } | Principal::Agent { .. }) {
        return Ok(None);
    }
    let Some(own) = caller.credential else { return Ok(None) };
    let row = keys::get(tx, own).await?.ok_or_else(|| forbidden("the key that was used is gone"))?;
    if row.parent_id.is_some() {
        return Err(forbidden("a key that was made by a key makes no other")
            .hint("make it with your own token, or with the key that made this one"));
    }
    Ok(Some(row))
}

/// Returns when the new key expires: no later than its parent. While an old secret of the parent is valid, no
/// later than that secret, because otherwise a person with the old secret could keep a key.
pub fn end(parent: Option<&KeyRow>, wished: Option<Ts>, now: Ts) -> Result<Option<Ts>, ActionError> {
    let ends = parent.into_iter().flat_map(|parent| [parent.expires_at, parent.old_secret_until]);
    let Some(latest) = ends.flatten().filter(|end| *end > now.as_micros()).min().map(Ts::from_micros) else {
        return Ok(wished);
    };
    match wished {
        Some(wished) if wished > latest => {
            let message = format!(
                "must be no later than {latest}: then the key that makes it ends, or an old secret of that key"
            );
            Err(ActionError::invalid("/expires_at", "maximum", message))
        }
        wished => Ok(wished.or(Some(latest))),
    }
}

/// Inserts the minters of a new key: the person for whom it is created, and the minters of its parent.
/// Earlier minters of the parent who still know a valid secret of it are recorded too, because they may know
/// the new key's secret.
pub async fn record(
    tx: &mut WriteTx,
    key: Id,
    caller: &Caller,
    parent: Option<Id>,
    now: Ts,
) -> Result<(), StoreError> {
    if let Some(parent) = parent {
        minters::inherit(tx, key, parent, now).await?;
    }
    let mut people: Vec<Id> = caller.principal.user().into_iter().collect();
    if parent.is_some() {
        people.extend(caller.provenance.minters.iter());
    }
    for person in people {
        minters::insert(tx, key, person).await?;
    }
    Ok(())
}
