//! Why a call ends before it has passed all gates.

use super::{confirmation, idempotency, limit::Cleared, lookup::KnownAction};
use crate::{
    audit::AuditSubject, base::ActionError, catalog::workspace_catalogs::CatalogUnavailable,
    limits::LimitState, upstream_requests::NoSession,
};
use toolcrib_model::{AuditDecision, ErrorCode, GrantedBy};

/// Why a call ends early.
pub(crate) enum EarlyExit {
    /// Refused before its action was known. Has no audit row.
    Unaudited(ActionError),
    /// Refused by gates 4 to 9, or rolled back after them. Has an audit row.
    Refused(Box<Refusal>),
    /// The response to this idempotency key is stored already.
    Replay(Box<idempotency::Stored>),
    /// Another process stored a response to this key meanwhile. The call must be looked up again.
    Retry,
    /// A call with this idempotency key was sent to an upstream and has not ended.
    InProgress,
    /// The call needs a confirmation.
    Confirm(Box<confirmation::ConfirmationRequest>),
}

/// A refusal, with what its audit row needs.
pub(crate) struct Refusal {
    pub error: ActionError,
    /// The audit row's `decision`.
    pub decision: AuditDecision,
    /// The audit row's `reason`.
    pub reason: &'static str,
    pub subject: AuditSubject,
    pub limit: Option<LimitState>,
    /// Set if the call ran and was rolled back: what permitted it, `auto` or `session`.
    pub ran: Option<GrantedBy>,
}

impl Refusal {
    /// Makes the refusal of a call that did not run. The error's own reason is more precise than the gate's.
    pub fn not_run(
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
        subject: AuditSubject,
    ) -> Self {
        let reason = error.reason.unwrap_or(reason);
        Self { error, decision, reason, subject, limit: None, ran: None }
    }

    /// Makes the refusal of a call that was denied inside the writing transaction.
    pub fn denied(error: ActionError, subject: AuditSubject) -> Self {
        Self::not_run(error, AuditDecision::Denied, "role", subject)
    }

    /// Makes the refusal of a call that ran and was rolled back, because of a timeout or a failure.
    pub fn rolled_back(error: ActionError, reason: &'static str, was: &Cleared) -> Self {
        Self {
            error,
            decision: AuditDecision::AutoAllowed,
            reason,
            subject: was.action().subject().clone(),
            limit: Some(was.limit()),
            ran: Some(was.granted_by()),
        }
    }
}

/// Makes the error for a call whose idempotency key is in use.
pub(crate) fn in_progress() -> ActionError {
    ActionError::new(ErrorCode::InProgress, "a call with the same key is still running")
        .hint("wait and send the same call again")
}

impl NoSession {
    /// Ends the call, or has it looked up again.
    pub fn exit(self, action: &KnownAction) -> EarlyExit {
        match self {
            Self::Changed => EarlyExit::Retry,
            Self::Drifted(error) => action.refuse(error, AuditDecision::Denied, "enabled"),
            Self::Failed(error) => action.refuse(error, AuditDecision::Invalid, "session"),
        }
    }
}

impl From<CatalogUnavailable> for EarlyExit {
    fn from(unavailable: CatalogUnavailable) -> Self {
        match unavailable {
            CatalogUnavailable::Changed => Self::Retry,
            CatalogUnavailable::Failed(error) => Self::Unaudited(*error),
        }
    }
}

/// The error of an exit outside of the gates, where a call is not repeated or confirmed.
impl From<EarlyExit> for ActionError {
    fn from(exit: EarlyExit) -> Self {
        match exit {
            EarlyExit::Unaudited(error) => error,
            EarlyExit::Refused(refusal) => refusal.error,
            EarlyExit::InProgress => in_progress(),
            EarlyExit::Replay(_) | EarlyExit::Retry | EarlyExit::Confirm(_) => {
                ActionError::internal("a gate answered out of turn")
            }
        }
    }
}

impl From<ActionError> for EarlyExit {
    fn from(error: ActionError) -> Self {
        Self::Unaudited(error)
    }
}
