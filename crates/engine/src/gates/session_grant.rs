//! Whether a session grant permits a call. Part of gate 8, after it has determined the level.

use toolcrib_model::{ErrorCode, Ts};
use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_store::{StoreError, Tx, members};

use super::lookup::FoundCall;
use crate::{
    caller::people::may_approve,
    grants::{Grant, GrantKey, Grants},
};

/// Returns whether a grant of the conversation permits this call: a write with a simple confirmation that is no
/// standing work run by this service. No grant permits any other call. Returns `false` if the grant or the database
/// can't be read.
pub(crate) async fn passes(
    grants: &dyn Grants,
    tx: &mut Tx,
    now: Ts,
    call: &FoundCall,
    level: ConfirmationLevel,
) -> bool {
    let spec = call.spec();
    let asks_each_time = call.policy().runs_standing_work(spec);
    if level != ConfirmationLevel::Simple || spec.level != Level::Write || asks_each_time {
        return false;
    }
    let caller = &call.facts().caller;
    let Some(key) = GrantKey::of(caller, &call.spec().name, &call.definition()) else {
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
    match holds(tx, now, call, &grant).await {
        Ok(true) => true,
        Ok(false) => {
            // Remove the grant, so that it stays void if the role is restored later.
            if grants.remove(&key).await.is_err() {
                tracing::warn!("a void session grant can't be removed; it is looked at again");
            }
            false
        }
        Err(_) => false,
    }
}

/// Returns whether the grant is still valid: the caller's role is not lower, the membership has not changed,
/// and the user who created the grant could still approve the call.
async fn holds(tx: &mut Tx, now: Ts, call: &FoundCall, grant: &Grant) -> Result<bool, StoreError> {
    let caller = &call.facts().caller;
    let (spec, policy) = (call.spec(), call.policy());
    if caller.role < grant.role || !may_approve(tx, grant.granted_by, caller, spec, policy, now).await? {
        return Ok(false);
    }
    let Some(user) = caller.principal.user() else { return Ok(grant.membership.is_none()) };
    let member = members::get(tx, user).await?.filter(|member| member.active);
    Ok(member.map(|member| member.updated_at) == grant.membership)
}
