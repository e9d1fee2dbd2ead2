//! What a call has that starts here and runs elsewhere: its open call and its start row, which are one commit.

mod upstream;

use std::sync::Arc;

use toolcrib_model::{ExecutorKind, OpenCallState, Outcome};
use toolcrib_registry::sorted_and_digest;
use toolcrib_store::{AuditRow, open_calls::OpenCallRow};

pub(crate) use upstream::start;

use crate::{
    audit::{self, AuditOutcome},
    base::CallContext,
    caller::CallerClaims,
    gates::{limit::Cleared, lookup::FoundCall},
    upstream_requests::Runner,
};

/// A call of an upstream whose start row is committed. Its request is sent once.
pub(crate) struct StartedCall {
    pub context: CallContext,
    pub cleared: Cleared,
    pub row: OpenCallRow,
    pub runner: Arc<dyn Runner>,
}

/// Makes the audit row of a call of a declared tool.
pub(crate) fn audit_row(
    context: &CallContext,
    cleared: &Cleared,
    executor: ExecutorKind,
    outcome: Outcome,
) -> AuditRow {
    let call = cleared.call();
    let passed = AuditOutcome { outcome, ..AuditOutcome::of_run(context, cleared.granted_by(), None) };
    of_executor(audit::row(context, call.facts(), passed), call, executor)
}

/// Adds what ran the call, and the definition that it ran with.
pub(crate) fn of_executor(row: AuditRow, call: &FoundCall, executor: ExecutorKind) -> AuditRow {
    AuditRow { executor: Some(executor), definition: Some(call.meta().definition().to_owned()), ..row }
}

/// Makes the open call, without the times of its executor. It is `ready` and has its raw arguments.
pub(crate) fn open_call(context: &CallContext, cleared: &Cleared, executor: ExecutorKind) -> OpenCallRow {
    let (meta, facts) = (cleared.call().meta(), cleared.call().facts());
    let principal = &facts.caller.principal;
    let (arguments, arguments_digest) = sorted_and_digest(&facts.arguments);
    let requester = CallerClaims::of_caller(&facts.caller);
    let (tool_call_id, tool_format) = match &context.tool_call {
        Some(call) => (Some(call.id.clone()), Some(call.format.as_str().to_owned())),
        None => (None, None),
    };
    OpenCallRow {
        call_id: context.call_id,
        executor,
        action: facts.action.clone(),
        definition: meta.definition().to_owned(),
        principal_kind: principal.kind().as_str().to_owned(),
        principal_id: principal.id(),
        user_id: principal.user(),
        session: facts.caller.session.as_deref().map(str::to_owned),
        // All keys are strings, so serialization can't fail.
        requester: serde_json::to_string(&requester).unwrap_or_default(),
        arguments: Some(arguments),
        arguments_digest,
        state: OpenCallState::Ready,
        created_at: context.now,
        claim_by: None,
        end_by: None,
        claimed_at: None,
        ended_at: None,
        confirmation_id: context.confirmation.as_ref().map(|approval| approval.confirmation_id),
        tool_call_id,
        tool_format,
        idempotency_key: cleared.key().map(|key| key.text().to_owned()),
        result: None,
        report_digest: None,
    }
}
