//! Calls that left nothing: refused, taken back, answered before, or waiting for a human.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_registry::LimitClass;

use crate::{
    Answer, Body, Engine, Replayed, build,
    call::Info,
    gates::{
        audit::{self, Verdict},
        idempotency::Stored,
        limit::exceeded,
    },
    limits::Limited,
    notify,
    stop::{Refusal, Stop},
};

/// Refusals that a principal may collect in a minute before they are answered with 429 and summed up.
const REFUSALS_PER_MINUTE: u32 = 600;

impl Engine {
    /// Turns a stop into an answer, and writes its audit row first.
    pub(crate) async fn settle(self: &Arc<Self>, info: &Info, stop: Stop) -> Answer {
        match stop {
            Stop::Early(error) => build::failed(&error, &info.request_id),
            Stop::Again => {
                build::failed(&crate::ActionError::internal("asked again too often"), &info.request_id)
            }
            Stop::Refused(refusal) => self.refuse(info, *refusal).await,
            Stop::Replay(stored) => self.replay(info, *stored).await,
            Stop::Ask(question) => self.ask(info, *question).await,
        }
    }

    async fn refuse(&self, info: &Info, mut refusal: Refusal) -> Answer {
        if refusal.ran.is_none()
            && let Some(excess) = self.spend_refusal(&refusal).await
        {
            // Its row would be one of thousands: the first of each minute stands for the rest.
            let first =
                self.flood.first_this_minute(refusal.subject.caller.principal.key(), self.clock.monotonic());
            refusal.error = excess;
            refusal.decision = "rate_limited";
            refusal.reason = "refusals";
            if !first {
                return build::refused(info, &refusal.subject, &refusal.error, refusal.limit, "refused");
            }
        }
        let (outcome, what) =
            if refusal.ran.is_some() { ("failed", "failed") } else { ("not_run", "refused") };
        let verdict = Verdict {
            outcome,
            granted_by: refusal.ran,
            ..Verdict::not_run(info, refusal.decision, refusal.reason, Some(refusal.error.code))
        };
        let row = audit::row(info, &refusal.subject, verdict);
        let told = notify::refused(self.ids.as_ref(), info, &refusal);
        match self.db.audit_telling(vec![row], told).await {
            Ok(()) => build::refused(info, &refusal.subject, &refusal.error, refusal.limit, what),
            Err(fault) => build::failed(&build::audit_unavailable(fault), &info.request_id),
        }
    }

    async fn spend_refusal(&self, refusal: &Refusal) -> Option<crate::ActionError> {
        let principal = &refusal.subject.caller.principal;
        match self.spend_own(principal, LimitClass::Refusals, REFUSALS_PER_MINUTE).await {
            Err(Limited::Exceeded { state, retry_after }) => {
                Some(exceeded(LimitClass::Refusals, state.limit, retry_after))
            }
            // A refusal needs no permission: without a limiter it is refused all the same.
            Ok(_) | Err(Limited::Unavailable) => None,
        }
    }

    async fn replay(self: &Arc<Self>, info: &Info, stored: Stored) -> Answer {
        let verdict = Verdict {
            confirmation_id: stored.confirmation,
            ..Verdict::not_run(info, "auto_allowed", "replayed", None)
        };
        let row = audit::row(info, &stored.subject, verdict);
        if let Err(fault) = self.db.audit(vec![row]).await {
            return build::failed(&build::audit_unavailable(fault), &info.request_id);
        }
        if let Some(id) = stored.confirmation {
            return self.replay_confirmation(info, &stored, id).await;
        }
        Answer { body: Body::Replayed(Box::new(mark(info, stored))), limit: None }
    }
}

/// Marks a stored answer as what it is.
fn mark(info: &Info, stored: Stored) -> Replayed {
    let mut body = stored.body;
    if let Value::Object(fields) = &mut body {
        if fields.get("ok") == Some(&Value::Bool(true)) {
            fields.insert("replayed".into(), true.into());
            let secret =
                stored.subject.meta.as_ref().is_some_and(|meta| crate::mask::has_secret(&meta.output));
            if secret {
                fields.insert("secret_shown".into(), true.into());
            }
        }
        if let Some(call) = &info.tool_call {
            fields.insert("tool_call_id".into(), call.id.clone().into());
        }
        if fields.contains_key("request_id") {
            fields.insert("request_id".into(), info.request_id.clone().into());
        }
    }
    Replayed { status: stored.status, body, call_id: info.call_id }
}
