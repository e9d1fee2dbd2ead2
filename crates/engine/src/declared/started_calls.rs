//! What a call has that starts here and runs elsewhere: its open call and its start row, which are one commit.

use std::sync::Arc;

use toolcrib_model::{AuditDecision, ErrorCode, ExecutorKind, IdGen, OpenCallState, Outcome, Ts};
use toolcrib_registry::sorted_and_digest;
use toolcrib_store::{
    AuditRow, WriteTx,
    open_calls::{self, OpenCallRow},
    open_effects::{self, OpenEffectRow},
};

use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext},
    caller::CallerClaims,
    events::emit,
    gates::{
        early_exit::EarlyExit,
        idempotency::{self, KeyState},
        limit::Cleared,
        lookup::FoundCall,
    },
    upstream_requests::{EffectRunner, Runner},
};

/// Seconds after the time limit of a request in which its outcome must be recorded. Later a worker records that nobody
/// knows it.
const GRACE_SECONDS: i64 = 60;

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

/// Makes the row of an effect. If this process ends before the outcome, a worker looks at it after the end of the
/// call's time.
fn open_effect(effect: &EffectRunner, row: &OpenCallRow, end_by: Ts) -> OpenEffectRow {
    OpenEffectRow {
        call_id: row.call_id,
        action: row.action.clone(),
        target_key: effect.resolution.as_ref().map(|resolution| resolution.key.clone()).unwrap_or_default(),
        arguments: effect.arguments.to_string(),
        plan: effect.plan().to_string(),
        requester: row.requester.clone(),
        started_at: row.created_at,
        next_look: Some(end_by.plus_seconds(1).as_micros()),
        looks: 0,
        output: None,
    }
}

/// Starts a call that an upstream runs: its open call, its start row and its idempotency key are one commit. Its
/// request may be sent once this is committed. A call that is refused has written nothing.
pub(crate) async fn start(
    ids: &dyn IdGen,
    context: CallContext,
    tx: &mut WriteTx,
    cleared: Cleared,
) -> Result<StartedCall, EarlyExit> {
    let Some(runner) = cleared.upstream_runner().cloned() else {
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
        && !idempotency::store(&context, tx, cleared.call(), key, &KeyState::Begun).await?
    {
        return Err(EarlyExit::Retry);
    }
    // An approval commits the refusal. It stores no key, so that nothing else is written before.
    if let Some(effect) = runner.effect() {
        let effect = open_effect(effect, &row, end_by);
        if !open_effects::insert(tx, &effect).await? {
            let error = effect_is_open(tx, &effect.target_key).await?;
            return Err(cleared.call().refuse(error, AuditDecision::Invalid, "in_progress"));
        }
    }
    open_calls::insert(tx, &row).await?;
    tx.audit(audit_row(&context, &cleared, executor, Outcome::Started));
    for event in emit::started(ids, &context, cleared.call().facts()) {
        tx.event(event);
    }
    Ok(StartedCall { context, cleared, row, runner })
}

/// Returns the 409 of a call for a thing that another call may have changed: which call, and what is known of it.
async fn effect_is_open(tx: &mut WriteTx, target_key: &str) -> Result<ActionError, EarlyExit> {
    let busy = |detail: String| ActionError::new(ErrorCode::InProgress, detail);
    let Some((call, state, next_look)) = open_effects::of_target(tx, target_key).await? else {
        return Ok(
            busy("another call for the same thing has just ended".to_owned()).hint("make the call again")
        );
    };
    if state == OpenCallState::Running.as_str() {
        return Ok(busy(format!("another call for the same thing, `{call}`, is still running"))
            .hint("wait until it has ended, and read its outcome before you make this one again"));
    }
    let next = next_look.map(|at| format!(", and is looked up again at {}", Ts::from_micros(at)));
    let detail = format!(
        "how another call for the same thing, `{call}`, ended is not known yet{}",
        next.unwrap_or_default()
    );
    Ok(busy(detail)
        .hint(format!("look at the thing itself; `GET /v1/calls/{call}` has the outcome once it is known")))
}
