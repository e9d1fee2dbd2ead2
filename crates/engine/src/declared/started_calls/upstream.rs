//! Starts a call that an upstream runs: its open call, its start row and its idempotency key are one commit.

use toolcrib_model::{AuditDecision, ErrorCode, IdGen, OpenCallState, Outcome, Ts};
use toolcrib_store::{
    WriteTx,
    open_calls::{self, OpenCallRow},
    open_effects::{self, OpenEffectRow},
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
    upstream_requests::EffectRunner,
};

/// Seconds after the time limit of a request in which its outcome must be recorded. Later a worker records that nobody
/// knows it.
const GRACE_SECONDS: i64 = 60;

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

/// Starts the call. Its request may be sent once this is committed. A call that is refused has written nothing.
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
