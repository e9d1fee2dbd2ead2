//! Starts a write that the caller runs: start row and open call are one commit.

use toolcrib_model::{AuditDecision, ErrorCode, ExecutorKind, IdGen, Outcome};
use toolcrib_store::{
    WriteTx,
    confirmations::Requester,
    open_calls::{self, OpenCallRow},
};

use super::{ClientTimes, response};
use crate::{
    base::{ActionError, CallContext},
    declared::started_calls,
    events::emit,
    gates::{
        early_exit::{EarlyExit, Refusal},
        limit::Cleared,
    },
    response::CallResponse,
};

/// The most open calls that one caller runs.
const MAX_OPEN_PER_CALLER: i64 = 50;
/// The most open calls of a workspace that their callers run.
const MAX_OPEN_PER_WORKSPACE: i64 = 500;

/// Starts the call: inserts the open call, the start row and the events. Refuses too many open calls.
pub(crate) async fn start(
    ids: &dyn IdGen,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: &Cleared,
    times: ClientTimes,
) -> Result<CallResponse, EarlyExit> {
    let claim_by = context.now.plus_seconds(i64::from(times.claim));
    let row = OpenCallRow {
        claim_by: Some(claim_by.as_micros()),
        ..started_calls::open_call(context, cleared, ExecutorKind::Client)
    };
    open_calls::lock_inserts(tx).await?;
    if let Some(error) = too_many(tx, row.principal()).await? {
        let facts = cleared.call().facts().clone();
        let refusal = Refusal::not_run(error, AuditDecision::RateLimited, "too_many_open_calls", facts);
        return Err(EarlyExit::Refused(Box::new(refusal)));
    }
    open_calls::insert(tx, &row).await?;
    tx.audit(started_calls::audit_row(context, cleared, ExecutorKind::Client, Outcome::Started));
    for event in emit::to_run(ids, context, cleared.call().facts(), Some(claim_by)) {
        tx.event(event);
    }
    Ok(response(context, cleared, Some(claim_by)))
}

async fn too_many(tx: &mut WriteTx, by: Requester) -> Result<Option<ActionError>, EarlyExit> {
    let (own, all) = open_calls::count_open(tx, by).await?;
    let of_caller = own >= MAX_OPEN_PER_CALLER;
    if !of_caller && all < MAX_OPEN_PER_WORKSPACE {
        return Ok(None);
    }
    let whose = if of_caller {
        format!("{MAX_OPEN_PER_CALLER} calls of this caller")
    } else {
        format!("{MAX_OPEN_PER_WORKSPACE} calls of this workspace")
    };
    let error =
        ActionError::new(ErrorCode::TooManyPending, format!("{whose} are not finished by the application"));
    Ok(Some(error.hint("`GET /v1/calls?open=true` lists them; report their outcomes, or revoke them")))
}
