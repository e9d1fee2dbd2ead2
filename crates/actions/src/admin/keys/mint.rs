//! Who a new key's minters are, and what a key that makes another one must keep to.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{StoreError, Tx, WriteTx, keys, keys::KeyRow, minters};

use crate::admin::guard::forbidden;

/// The key that makes the new one; nothing where a person does. A key that was made by a key makes none.
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

/// When the new key ends: with its parent at the latest. While an old secret of the parent lives, with that secret: else
/// whoever knows it would keep a key.
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

/// Records who stands behind a new key: the person for whom it was made, and the minters of the key that made it. Those who
/// were minters of that key before and still know its secret know the new key's too.
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
