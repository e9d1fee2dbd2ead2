//! Why a call does not go on to the next gate.

use super::{confirmation, idempotency};
use crate::{audit::AuditSubject, base::ActionError, limits::LimitState};
use toolcrib_model::{AuditDecision, GrantedBy};

/// Why a call does not go on.
pub(crate) enum EarlyExit {
    /// Refused before anything of its action was known: nothing to audit.
    Unaudited(ActionError),
    /// Refused at gates 4 to 9, or taken back after them: audited.
    Refused(Box<Refusal>),
    /// The same key was answered before.
    Replay(Box<idempotency::Stored>),
    /// Another process stored this key's answer meanwhile: look again.
    Retry,
    /// A human is asked first.
    Confirm(Box<confirmation::ConfirmationRequest>),
}

/// A refusal with what its audit row needs.
pub(crate) struct Refusal {
    pub error: ActionError,
    /// The audit row's `decision`.
    pub decision: AuditDecision,
    /// The audit row's `reason`.
    pub reason: &'static str,
    pub subject: AuditSubject,
    pub limit: Option<LimitState>,
    /// It was let run, by `auto` or `session`, and everything was taken back.
    pub ran: Option<GrantedBy>,
}

impl Refusal {
    /// Of a call that did not run.
    pub fn not_run(
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
        subject: AuditSubject,
    ) -> Self {
        Self { error, decision, reason, subject, limit: None, ran: None }
    }

    /// Denied after all, inside the transaction that would have changed rows.
    pub fn denied(error: ActionError, subject: AuditSubject) -> Self {
        Self::not_run(error, AuditDecision::Denied, "role", subject)
    }

    /// Ran, and everything was taken back: for want of time, or because of what the commit found.
    pub fn rolled_back(error: ActionError, reason: &'static str, was: ClearedCall) -> Self {
        let ClearedCall { subject, granted_by, limit } = was;
        Self {
            error,
            decision: AuditDecision::AutoAllowed,
            reason,
            subject,
            limit: Some(limit),
            ran: Some(granted_by),
        }
    }
}

/// What is known of a call that passed gates 3 to 9.
pub(crate) struct ClearedCall {
    pub subject: AuditSubject,
    pub granted_by: GrantedBy,
    pub limit: LimitState,
}

impl From<ActionError> for EarlyExit {
    fn from(error: ActionError) -> Self {
        Self::Unaudited(error)
    }
}
