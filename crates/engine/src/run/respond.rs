//! Responses of calls that end early: refused, rolled back, replayed, or waiting for a confirmation.

use std::sync::Arc;

use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{self as model, AuditDecision, Id};
use toolcrib_registry::LimitClass;
use toolcrib_store::confirmations;

use crate::engine::Engine;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext, CallFacts, mask},
    confirm::{transition, view},
    events::emit,
    gates::{
        early_exit::{EarlyExit, Refusal, in_progress},
        idempotency::{KeyState, Stored},
    },
    limits::{Limited, exceeded},
    response::{self, CallResponse, Outcome},
};

/// Refusals a minute of one principal that get their own audit row. Further ones get 429, with one audit row
/// a minute.
const REFUSALS_PER_MINUTE: u32 = 600;

impl Engine {
    /// Returns the response of an early exit. Writes the audit row of `Refused`, unless the principal's refusals are
    /// throttled, and of `Replay`; `Failed`, `InProgress`, `Retry` and `Confirm` get none.
    pub(crate) async fn respond_early(
        self: &Arc<Self>,
        context: &CallContext,
        exit: EarlyExit,
    ) -> CallResponse {
        match exit {
            EarlyExit::Refused(refusal) => self.refuse(context, *refusal).await,
            EarlyExit::Replay(stored) => self.replay(context, *stored).await,
            EarlyExit::Failed(_) | EarlyExit::InProgress | EarlyExit::Retry | EarlyExit::Confirm(_) => {
                response::failed(&exit.into(), &context.request_id)
            }
        }
    }

    async fn refuse(&self, context: &CallContext, mut refusal: Refusal) -> CallResponse {
        if refusal.ran.is_none()
            && let Some(excess) = self.spend_refusal(&refusal).await
        {
            // The first audit row of each minute stands for thousands of refusals.
            let first = self
                .refusal_throttle
                .first_this_minute(refusal.facts.caller.principal.key(), self.clock.monotonic());
            refusal.error = excess;
            refusal.decision = AuditDecision::RateLimited;
            refusal.reason = "refusals";
            if !first {
                return response::refused(context, &refusal.facts, &refusal.error, refusal.limit, "refused");
            }
        }
        let ran = refusal.ran.is_some();
        let (outcome, what) =
            if ran { (model::Outcome::Failed, "failed") } else { (model::Outcome::NotRun, "refused") };
        let audit_outcome = AuditOutcome {
            outcome,
            granted_by: refusal.ran,
            ..AuditOutcome::not_run(context, refusal.decision, refusal.reason, Some(refusal.error.code))
        };
        let row = audit::row(context, &refusal.facts, audit_outcome);
        let emitted =
            emit::refused(self.ids.as_ref(), context, &refusal.facts, &refusal.error, refusal.decision, ran);
        match self.db.audit_with_events(vec![row], emitted).await {
            Ok(()) => response::refused(context, &refusal.facts, &refusal.error, refusal.limit, what),
            Err(error) => response::failed(&response::audit_unavailable(error), &context.request_id),
        }
    }

    async fn spend_refusal(&self, refusal: &Refusal) -> Option<ActionError> {
        let principal = &refusal.facts.caller.principal;
        match self.spend_own(principal, LimitClass::Refusals, REFUSALS_PER_MINUTE).await {
            Err(Limited::Exceeded { state, retry_after }) => {
                Some(exceeded(LimitClass::Refusals, state.limit, retry_after))
            }
            // A refusal needs no permission, so without a limiter the call is still refused.
            Ok(_) | Err(Limited::Unavailable) => None,
        }
    }

    async fn replay(self: &Arc<Self>, context: &CallContext, stored: Stored) -> CallResponse {
        let Stored { facts, policy, state } = stored;
        let confirmation_id = match &state {
            KeyState::Waiting(id) => Some(*id),
            KeyState::Begun | KeyState::Ended(_) => None,
        };
        let audit_outcome = AuditOutcome {
            confirmation_id,
            ..AuditOutcome::not_run(context, AuditDecision::AutoAllowed, "replayed", None)
        };
        let row = audit::row(context, &facts, audit_outcome);
        if let Err(error) = self.db.audit(vec![row]).await {
            return response::failed(&response::audit_unavailable(error), &context.request_id);
        }
        match state {
            KeyState::Begun => response::failed(&in_progress(), &context.request_id),
            KeyState::Waiting(id) => self.replay_confirmation(context, &facts, &policy, id).await,
            KeyState::Ended(outcome) => replayed(context, &facts, outcome),
        }
    }

    /// Returns the current state of a confirmation, for a repeated call with the same key.
    async fn replay_confirmation(
        self: &Arc<Self>,
        context: &CallContext,
        facts: &CallFacts,
        policy: &WorkspacePolicy,
        id: Id,
    ) -> CallResponse {
        let row = async {
            let mut tx = self.db.read(facts.caller.workspace).await?;
            let row = confirmations::get(&mut tx, id).await?;
            tx.end().await?;
            Ok::<_, ActionError>(row)
        };
        let row = match row.await {
            Ok(Some(row)) => row,
            Ok(None) => return response::failed(&view::not_found(id), &context.request_id),
            Err(error) => return response::failed(&error, &context.request_id),
        };
        if row.open(context.now) {
            return self.records(self.catalog()).waiting(context, facts, &row, Vec::new(), policy);
        }
        if let Some(outcome) = view::stored(&row) {
            return replayed(context, facts, outcome);
        }
        let error = transition::ended(row.status, row.reason.as_deref());
        response::refused(context, facts, &error, None, "refused")
    }
}

/// Returns a stored outcome, marked as replayed, as the answer to this request.
fn replayed(context: &CallContext, facts: &CallFacts, mut outcome: Outcome) -> CallResponse {
    match &mut outcome {
        Outcome::Completed(done) => {
            done.replayed = true;
            let meta = facts.meta.as_ref();
            done.secret_shown |= meta.is_some_and(|meta| mask::has_secret(meta.output.value()));
        }
        // The operator finds this id in the log.
        Outcome::Refused(problem) => problem.request_id = Some(context.request_id.clone()),
        _ => {}
    }
    if let Some(call) = &context.tool_call {
        outcome.set_tool_call_id(&call.id);
    }
    CallResponse::replayed(outcome)
}
