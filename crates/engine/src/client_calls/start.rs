//! Starts a write that the caller runs: start row and open call are one commit.

use toolcrib_model::{AuditDecision, ErrorCode, ExecutorKind, Id, IdGen, OpenCallState, Outcome};
use toolcrib_registry::canonical_and_digest;
use toolcrib_store::{
    WriteTx,
    confirmations::Requester,
    open_calls::{self, OpenCallRow},
};

use super::{ClientTimes, audit_row, response};
use crate::{
    base::{ActionError, CallContext},
    caller::CallerClaims,
    events::emit,
    gates::{
        early_exit::{EarlyExit, Refusal},
        limit::WithinLimits,
    },
    response::CallResponse,
};

/// The most open calls that one caller runs.
const MOST_OF_CALLER: i64 = 50;
/// The most open calls of a workspace that their callers run.
const MOST_OF_WORKSPACE: i64 = 500;

/// Starts the call: inserts the open call, the start row and the events. Refuses too many open calls.
pub(crate) async fn start(
    ids: &dyn IdGen,
    context: &CallContext,
    tx: &mut WriteTx,
    cleared: &WithinLimits,
    times: ClientTimes,
) -> Result<CallResponse, EarlyExit> {
    let row = open_call(context, cleared, times);
    open_calls::lock_inserts(tx).await?;
    if let Some(error) = too_many(tx, row.principal()).await? {
        let subject = cleared.action().subject().clone();
        let refusal = Refusal::not_run(error, AuditDecision::RateLimited, "too_many_open_calls", subject);
        return Err(EarlyExit::Refused(Box::new(refusal)));
    }
    open_calls::insert(tx, &row).await?;
    tx.audit(audit_row(context, cleared, Outcome::Started));
    let claim_by = context.now.plus_seconds(i64::from(times.claim));
    for event in emit::to_run(ids, context, cleared.action().subject(), Some(claim_by)) {
        tx.event(event);
    }
    Ok(response(context, cleared, Some(claim_by)))
}

fn open_call(context: &CallContext, cleared: &WithinLimits, times: ClientTimes) -> OpenCallRow {
    let (meta, subject) = (cleared.action().meta(), cleared.action().subject());
    let principal = &subject.caller.principal;
    let (arguments, arguments_digest) = canonical_and_digest(&subject.arguments);
    let requester = CallerClaims::of_caller(&subject.caller);
    let (tool_call_id, tool_format) = match &context.tool_call {
        Some(call) => (Some(call.id.clone()), Some(call.format.to_owned())),
        None => (None, None),
    };
    OpenCallRow {
        call_id: context.call_id,
        executor: ExecutorKind::Client,
        action: subject.action.clone(),
        definition: meta.definition().to_owned(),
        principal_kind: principal.kind().to_owned(),
        principal_id: principal.id(),
        user_id: principal.user(),
        session: subject.caller.session.as_deref().map(str::to_owned),
        // All keys are strings, so serialization can't fail.
        requester: serde_json::to_string(&requester).unwrap_or_default(),
        arguments: Some(arguments),
        arguments_digest,
        state: OpenCallState::Ready,
        created_at: context.now,
        claim_by: Some(context.now.plus_seconds(i64::from(times.claim)).as_micros()),
        end_by: None,
        claimed_at: None,
        ended_at: None,
        confirmation_id: confirmation(context),
        tool_call_id,
        tool_format,
        idempotency_key: cleared.key().map(|key| key.text().to_owned()),
        result: None,
        report_digest: None,
    }
}

fn confirmation(context: &CallContext) -> Option<Id> {
    context.confirmation.as_ref().map(|approval| approval.confirmation_id)
}

async fn too_many(tx: &mut WriteTx, by: Requester) -> Result<Option<ActionError>, EarlyExit> {
    let of_caller = open_calls::count_open(tx, by).await? >= MOST_OF_CALLER;
    if !of_caller && open_calls::count_open_in_workspace(tx).await? < MOST_OF_WORKSPACE {
        return Ok(None);
    }
    let whose = if of_caller {
        format!("{MOST_OF_CALLER} calls of this caller")
    } else {
        format!("{MOST_OF_WORKSPACE} calls of this workspace")
    };
    let error =
        ActionError::new(ErrorCode::TooManyPending, format!("{whose} are not finished by the application"));
    Ok(Some(error.hint("`GET /v1/calls?open=true` lists them; report their outcomes, or revoke them")))
}
