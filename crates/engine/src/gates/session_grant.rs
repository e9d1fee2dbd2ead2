//! Whether a grant lets a call pass: looked for at gate 8, when its level is decided.

use toolcrib_model::{ErrorCode, Ts};
use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_store::{StoreError, Tx, members};

use super::lookup::KnownAction;
use crate::{
    caller::people::may_approve,
    grants::{Grant, GrantKey, Grants},
};

/// Whether this call of that level runs by a grant of its conversation. Only writes that a simple confirmation is enough
/// for do: for anything else no grant counts, whoever put it into the store. Where something can't be read, none does.
pub(crate) async fn passes(
    grants: &dyn Grants,
    tx: &mut Tx,
    now: Ts,
    found: &KnownAction,
    level: ConfirmationLevel,
) -> bool {
    if level != ConfirmationLevel::Simple || found.spec().level != Level::Write {
        return false;
    }
    let caller = &found.subject().caller;
    let Some(key) = GrantKey::of(caller, found.spec().name, found.meta().input.digest()) else {
        return false;
    };
    let Ok(kept) = grants.find(&key).await else {
        tracing::warn!(
            code = ErrorCode::StoreUnavailable.as_str(),
            "session grants can't be read: a person is asked"
        );
        return false;
    };
    let Some(grant) = kept.filter(|grant| grant.key == key && grant.expires_at > now) else { return false };
    match holds(tx, now, found, &grant).await {
        Ok(true) => true,
        Ok(false) => {
            // It stays void when the role comes back.
            if grants.remove(&key).await.is_err() {
                tracing::warn!("a void session grant can't be removed; it is looked at again");
            }
            false
        }
        Err(_) => false,
    }
}

/// The role is no less than it was, the membership is the one that it was given to, and whoever gave it could give it now.
async fn holds(tx: &mut Tx, now: Ts, found: &KnownAction, grant: &Grant) -> Result<bool, StoreError> {
    let caller = &found.subject().caller;
    let call = (caller, found.spec(), found.policy());
    if caller.role < grant.role || !may_approve(tx, grant.granted_by, call, now).await? {
        return Ok(false);
    }
    let Some(user) = caller.principal.user() else { return Ok(grant.membership.is_none()) };
    let member = members::get(tx, user).await?.filter(|member| member.active);
    Ok(member.map(|member| member.updated_at) == grant.membership)
}
