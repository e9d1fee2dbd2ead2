//! Responses of calls that end early: refused, rolled back, replayed, or waiting for a confirmation.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_model::{AuditDecision, Id, Outcome};
use toolcrib_registry::LimitClass;
use toolcrib_store::confirmations;

use super::Engine;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext, mask},
    confirmations::{transition, view},
    events::emit,
    gates::{
        early_exit::{EarlyExit, Refusal, in_progress},
        idempotency::Stored,
    },
    limits::{Limited, exceeded},
    response::{self, CallResponse, Replayed, ResponseBody},
};

/// Refusals a minute of one principal that get their own audit row. Further ones get 429, with one audit row
/// a minute.
const REFUSALS_PER_MINUTE: u32 = 600;

impl Engine {
    /// Writes the audit row of an early exit and returns its response.
    pub(crate) async fn respond_early(
        self: &Arc<Self>,
        context: &CallContext,
        exit: EarlyExit,
    ) -> CallResponse {
        match exit {
            EarlyExit::Unaudited(error) => response::failed(&error, &context.request_id),
            EarlyExit::Retry => {
                response::failed(&ActionError::internal("asked again too often"), &context.request_id)
            }
            EarlyExit::InProgress => response::failed(&in_progress(), &context.request_id),
            EarlyExit::Refused(refusal) => self.refuse(context, *refusal).await,
            EarlyExit::Replay(stored) => self.replay(context, *stored).await,
            EarlyExit::Confirm(request) => self.request_confirmation(context, *request).await,
        }
    }

    async fn refuse(&self, context: &CallContext, mut refusal: Refusal) -> CallResponse {
        if refusal.ran.is_none()
            && let Some(excess) = self.spend_refusal(&refusal).await
        {
            // The first audit row of each minute stands for thousands of refusals.
            let first = self
                .refusal_throttle
                .first_this_minute(refusal.subject.caller.principal.key(), self.clock.monotonic());
            refusal.error = excess;
            refusal.decision = AuditDecision::RateLimited;
            refusal.reason = "refusals";
            if !first {
                return response::refused(
                    context,
                    &refusal.subject,
                    &refusal.error,
                    refusal.limit,
                    "refused",
                );
            }
        }
        let ran = refusal.ran.is_some();
        let (outcome, what) = if ran { (Outcome::Failed, "failed") } else { (Outcome::NotRun, "refused") };
        let audit_outcome = AuditOutcome {
            outcome,
            granted_by: refusal.ran,
            ..AuditOutcome::not_run(context, refusal.decision, refusal.reason, Some(refusal.error.code))
        };
        let row = audit::row(context, &refusal.subject, audit_outcome);
        let emitted = emit::refused(
            self.ids.as_ref(),
            context,
            &refusal.subject,
            &refusal.error,
            (refusal.decision, ran),
        );
        match self.db.audit_with_events(vec![row], emitted).await {
            Ok(()) => response::refused(context, &refusal.subject, &refusal.error, refusal.limit, what),
            Err(error) => response::failed(&response::audit_unavailable(error), &context.request_id),
        }
    }

    async fn spend_refusal(&self, refusal: &Refusal) -> Option<ActionError> {
        let principal = &refusal.subject.caller.principal;
        match self.spend_own(principal, LimitClass::Refusals, REFUSALS_PER_MINUTE).await {
            Err(Limited::Exceeded { state, retry_after }) => {
                Some(exceeded(LimitClass::Refusals, state.limit, retry_after))
            }
            // A refusal needs no permission, so without a limiter the call is still refused.
            Ok(_) | Err(Limited::Unavailable) => None,
        }
    }

    async fn replay(self: &Arc<Self>, context: &CallContext, stored: Stored) -> CallResponse {
        let audit_outcome = AuditOutcome {
            confirmation_id: stored.confirmation,
            ..AuditOutcome::not_run(context, AuditDecision::AutoAllowed, "replayed", None)
        };
        let row = audit::row(context, &stored.subject, audit_outcome);
        if let Err(error) = self.db.audit(vec![row]).await {
            return response::failed(&response::audit_unavailable(error), &context.request_id);
        }
        if let Some(id) = stored.confirmation {
            return self.replay_confirmation(context, &stored, id).await;
        }
        CallResponse { body: ResponseBody::Replayed(Box::new(mark(context, stored))), limit: None }
    }

    /// Returns the current state of a confirmation, for a repeated call with the same key.
    async fn replay_confirmation(
        self: &Arc<Self>,
        context: &CallContext,
        asked: &Stored,
        id: Id,
    ) -> CallResponse {
        let subject = &asked.subject;
        let row = async {
            let mut tx = self.db.read(subject.caller.workspace).await?;
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
            return self.records(self.catalog()).waiting(
                context,
                subject,
                &row,
                asked.policy.approve_url_template.as_deref(),
            );
        }
        match view::stored(&row) {
            Some((status, body)) => {
                let replayed = Replayed { status, body, call_id: context.call_id };
                CallResponse { body: ResponseBody::Replayed(Box::new(replayed)), limit: None }
            }
            None => response::refused(context, subject, &transition::ended(&row), None, "refused"),
        }
    }
}

/// Marks a stored response as replayed.
fn mark(context: &CallContext, stored: Stored) -> Replayed {
    let mut body = stored.body;
    if let Value::Object(fields) = &mut body {
        if fields.get("ok") == Some(&Value::Bool(true)) {
            fields.insert("replayed".into(), true.into());
            let secret =
                stored.subject.meta.as_ref().is_some_and(|meta| mask::has_secret(meta.output.value()));
            if secret {
                fields.insert("secret_shown".into(), true.into());
            }
        }
        if let Some(call) = &context.tool_call {
            fields.insert("tool_call_id".into(), call.id.clone().into());
        }
        if fields.contains_key("request_id") {
            fields.insert("request_id".into(), context.request_id.clone().into());
        }
    }
    Replayed { status: stored.status, body, call_id: context.call_id }
}
