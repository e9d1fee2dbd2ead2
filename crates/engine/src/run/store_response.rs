//! Stores the response of a write for repeated calls with its idempotency key.

use toolcrib_store::WriteTx;

use crate::{
    base::CallContext,
    gates::{
        self,
        early_exit::EarlyExit,
        idempotency::{Key, KeyState},
        lookup::FoundCall,
    },
    response::CallResponse,
};

/// Stores the response under the call's idempotency key, if it has one.
pub(super) async fn store_response(
    context: &CallContext,
    tx: &mut WriteTx,
    (call, key): (&FoundCall, Option<&Key>),
    answer: &CallResponse,
) -> Result<(), EarlyExit> {
    // A 5xx error may be temporary, so a retry with the same key must run again.
    let Some(key) = key.filter(|_| answer.status() < 500) else { return Ok(()) };
    // The key is looked up in the workspace in which the call began, even if the call has created another
    // one and switched to it.
    let (ended_in, began_in) = (tx.workspace(), call.facts().caller.workspace);
    tx.switch_workspace(began_in).await?;
    let ended = KeyState::Ended(answer.outcome.without_secrets(call.meta()));
    if !gates::idempotency::store(context, tx, call, key, &ended).await? {
        return Err(EarlyExit::Retry);
    }
    Ok(tx.switch_workspace(ended_in).await?)
}
