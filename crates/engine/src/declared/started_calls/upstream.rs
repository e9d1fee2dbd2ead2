//! Starts a call that an upstream runs: its open call, its start row and its idempotency key are one commit.

use toolcrib_model::{IdGen, OpenCallState, Outcome};
use toolcrib_store::{
    WriteTx,
    open_calls::{self, OpenCallRow},
};

use super::{StartedCall, audit_row, open_call};
use crate::{
    base::{ActionError, CallContext},
    events::emit,
    gates::{
        early_exit::EarlyExit,
        idempotency::{self, KeyState},
        limit::Cleared,
    },
};

/// Seconds after the time limit of a request in which its outcome must be recorded. Later a worker records that nobody
/// knows it.
const GRACE_SECONDS: i64 = 60;

/// Starts the call. Its request may be sent once this is committed.
pub(crate) async fn start(
    ids: &dyn IdGen,
    context: CallContext,
    tx: &mut WriteTx,
    cleared: Cleared,
) -> Result<StartedCall, EarlyExit> {
    let Some(runner) = cleared.runner().cloned() else {
        return Err(ActionError::internal("a call without a runner was let out").into());
    };
    let executor = runner.executor();
    let seconds = i64::try_from(runner.timeout().as_secs()).unwrap_or(i64::MAX);
    let end_by = context.now.plus_seconds(seconds.saturating_add(GRACE_SECONDS));
    let row = OpenCallRow {
        state: OpenCallState::Running,
        end_by: Some(end_by.as_micros()),
        // The request is made already, so that nothing reads the raw arguments again.
        arguments: None,
        ..open_call(&context, &cleared, executor)
    };
    if let Some(key) = cleared.key()
        && !idempotency::remember(&context, tx, cleared.action(), key, &KeyState::Begun).await?
    {
        return Err(EarlyExit::Retry);
    }
    open_calls::insert(tx, &row).await?;
    tx.audit(audit_row(&context, &cleared, (executor, Outcome::Started)));
    for event in emit::started(ids, &context, cleared.action().subject()) {
        tx.event(event);
    }
    Ok(StartedCall { context, cleared, row, runner })
}
