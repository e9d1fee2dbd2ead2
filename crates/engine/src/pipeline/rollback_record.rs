//! What remains of a write whose transaction is rolled back.

use std::sync::{Arc, Mutex, PoisonError};

use toolcrib_model::ErrorCode;

use crate::{
    base::ActionError,
    gates::{
        early_exit::{EarlyExit, Refusal},
        limit::WithinLimits,
    },
};

/// A call that passed its gates, stored outside its transaction: if the call is rolled back, it gets an audit row or runs
/// again.
#[derive(Clone, Default)]
pub(super) struct RollbackRecord(Arc<Mutex<Option<WithinLimits>>>);

impl RollbackRecord {
    pub fn store(&self, cleared: &WithinLimits) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cleared.clone());
    }

    pub fn get(&self) -> Option<WithinLimits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes the audited refusal of a call that passed its gates and was rolled back. The call gets no row if
    /// audit rows can't be written or if it is unknown whether the commit happened.
    pub fn rolled_back(&self, error: ActionError) -> EarlyExit {
        let reason = match error.code {
            ErrorCode::Timeout => "timeout",
            ErrorCode::Internal => "failed",
            _ => return EarlyExit::Unaudited(error),
        };
        match self.get() {
            Some(passed) => EarlyExit::Refused(Box::new(Refusal::rolled_back(error, reason, &passed))),
            None => EarlyExit::Unaudited(error),
        }
    }
}
