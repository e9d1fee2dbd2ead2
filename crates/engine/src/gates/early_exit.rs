//! Why a call ends before it has passed all gates.

use super::{confirmation, idempotency};
use crate::{
    base::{ActionError, CallFacts},
    catalog::workspace_catalogs::CatalogUnavailable,
    limits::LimitState,
};
use toolcrib_model::{AuditDecision, ErrorCode, GrantedBy};
use toolcrib_store::StoreError;

/// Why a call ends early.
pub(crate) enum EarlyExit {
    /// Failed without a refusal of its own: before its action was known, or because something could not be read.
    Failed(ActionError),
    /// Refused by gates 4 to 9, or rolled back after them. `respond_early` writes its audit row, unless refusals are
    /// throttled.
    Refused(Box<Refusal>),
    /// The response to this idempotency key is stored already.
    Replay(Box<idempotency::Stored>),
    /// The data on which the gates decided has changed meanwhile: the call is attempted again, as `run` says.
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
    pub facts: CallFacts,
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
        facts: CallFacts,
    ) -> Self {
        let reason = error.reason.unwrap_or(reason);
        Self { error, decision, reason, facts, limit: None, ran: None }
    }
}

/// Makes the error for a call whose idempotency key is in use.
pub(crate) fn in_progress() -> ActionError {
    ActionError::new(ErrorCode::InProgress, "a call with the same key is still running")
        .hint("wait and send the same call again")
}

impl From<CatalogUnavailable> for EarlyExit {
    fn from(unavailable: CatalogUnavailable) -> Self {
        match unavailable {
            CatalogUnavailable::Changed => Self::Retry,
            CatalogUnavailable::Failed(error) => Self::Failed(*error),
        }
    }
}

/// The error of an exit outside of the gates, where a call is not repeated or confirmed.
impl From<EarlyExit> for ActionError {
    fn from(exit: EarlyExit) -> Self {
        match exit {
            EarlyExit::Failed(error) => error,
            EarlyExit::Refused(refusal) => refusal.error,
            EarlyExit::InProgress => in_progress(),
            EarlyExit::Retry => {
                ActionError::new(ErrorCode::InProgress, "the workspace's toolsets are being changed")
                    .hint("send the request again")
            }
            EarlyExit::Replay(_) | EarlyExit::Confirm(_) => {
                ActionError::internal("a call ended in a way that is only possible inside a call")
            }
        }
    }
}

impl From<ActionError> for EarlyExit {
    fn from(error: ActionError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for EarlyExit {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}
