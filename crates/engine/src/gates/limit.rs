//! Gate 9: the workspace's rate limit. Only calls that would run now count. With it a call has passed gates 8 and 9
//! ([`Cleared`]).

use std::sync::{Arc, OnceLock};

use toolcrib_model::{AuditDecision, GrantedBy, count};
use toolcrib_registry::LimitClass;
use toolcrib_store::Tx;

use super::{
    GateDependencies,
    arguments::Resolved,
    confirmation,
    early_exit::{EarlyExit, Refusal},
    idempotency::Key,
    lookup::FoundCall,
};
use crate::{
    base::{ActionError, CallContext, Done},
    limits::{LimitRequest, LimitState, Limited, Limiter, exceeded, limiter_unavailable},
    upstream_requests::{self, NoSession, Runner, RunnerCx},
};

/// A call that may run now.
#[derive(Clone)]
pub struct Cleared {
    resolved: Resolved,
    granted_by: GrantedBy,
    limit: LimitState,
}

impl Cleared {
    pub fn call(&self) -> &FoundCall {
        self.resolved.call()
    }

    /// Returns the call, for a read whose references are corrected, and for the id that a write created.
    pub(super) fn call_mut(&mut self) -> &mut FoundCall {
        self.resolved.call_mut()
    }

    /// Returns the idempotency key of the call.
    pub fn key(&self) -> Option<&Key> {
        self.resolved.key()
    }

    /// Returns who runs a call that runs elsewhere.
    pub fn upstream_runner(&self) -> Option<&Arc<dyn Runner>> {
        self.resolved.upstream_runner()
    }

    /// Returns the output of an effect that is there already.
    pub fn already(&self) -> Option<&Done> {
        self.resolved.already()
    }

    /// Returns what permits the call: `auto`, `session` or `user`.
    pub fn granted_by(&self) -> GrantedBy {
        self.granted_by
    }

    /// Returns the state of the call's bucket.
    pub fn limit(&self) -> LimitState {
        self.limit
    }

    /// Makes the runner anew, with what this transaction reads: the secret may have changed since the gates.
    pub(crate) async fn prepare_again(&mut self, tx: &mut Tx) -> Result<(), ActionError> {
        // What an effect was resolved to is in its runner.
        if self.upstream_runner().is_some_and(|runner| runner.effect().is_some()) {
            return Ok(());
        }
        *self.resolved.upstream_runner_mut() =
            upstream_requests::prepare(tx, self.call().of_upstream()).await?;
        Ok(())
    }

    /// Opens the session of the call, if its runner needs one.
    pub(crate) async fn open_session(&mut self, cx: RunnerCx<'_>) -> Result<(), NoSession> {
        if let Some(runner) = self.resolved.upstream_runner_mut() {
            *runner = runner.clone().open_session(cx).await?;
        }
        Ok(())
    }

    /// Takes the session that is open for exactly the secret of the call, if its runner needs one.
    pub(crate) fn take_session(&mut self, cx: RunnerCx<'_>) -> Result<(), NoSession> {
        if let Some(runner) = self.resolved.upstream_runner_mut() {
            *runner = runner.clone().in_open_session(cx)?;
        }
        Ok(())
    }
}

/// Requests a confirmation if the call needs one, then counts the call: only calls that would run now count. `spent` is
/// the bucket that an earlier attempt of the call counted against.
pub async fn pass(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    resolved: Resolved,
    spent: &OnceLock<LimitState>,
) -> Result<Cleared, EarlyExit> {
    let granted_by = confirmation::check(context, dependencies.grants, tx, &resolved).await?;
    let limit = spend(dependencies.limiter, spent, resolved.call()).await?;
    Ok(Cleared { resolved, granted_by, limit })
}

/// Counts one call of the action's class, unless an earlier attempt of the call did: `spent`.
async fn spend(
    limiter: &dyn Limiter,
    spent: &OnceLock<LimitState>,
    call: &FoundCall,
) -> Result<LimitState, EarlyExit> {
    let class = call.spec().limit_class;
    if let Some(&limit) = spent.get().filter(|spent| spent.class == class) {
        return Ok(limit);
    }
    let changes = call.spec().has_effect();
    let bucket = LimitRequest::of_caller(&call.facts().caller, class, &call.policy().limits);
    match limiter.spend(LimitRequest { changes, ..bucket }).await {
        Ok(limit) => Ok(*spent.get_or_init(|| limit)),
        Err(Limited::Exceeded { state, retry_after }) => {
            let error = used_up(class, bucket.per_minute, &state, retry_after);
            let refusal = call.refusal(error, AuditDecision::RateLimited, "rate_limited");
            Err(EarlyExit::Refused(Box::new(Refusal { limit: Some(state), ..refusal })))
        }
        Err(Limited::Unavailable) => Err(EarlyExit::Failed(limiter_unavailable())),
    }
}

/// Makes the error for an empty bucket, of the workspace or of a person's share.
fn used_up(class: LimitClass, quota: u32, state: &LimitState, retry_after: u64) -> ActionError {
    let mut error = exceeded(class, quota, retry_after);
    if state.limit < quota {
        error.detail = format!(
            "your share of {} a minute is reached while other people in this workspace are active",
            count(state.limit, &format!("{class} call"))
        );
    }
    error
}
