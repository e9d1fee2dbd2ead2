//! Waits for a decision.

use toolcrib_engine::{ActionError, ConfirmationView};
use toolcrib_model::Id;

use crate::poll::Waiter;

/// Returns the confirmation when it has ended, or in its current state after the time of the waiter.
pub(crate) async fn until_ended(waiter: &Waiter<'_>, id: Id) -> Result<ConfirmationView, ActionError> {
    let read = || waiter.engine.confirmation(waiter.authenticated, id);
    waiter.poll(read, |view| view.status.has_ended()).await
}

/// Like [`until_ended`], and also returns when the application has to run the approved call.
pub(crate) async fn until_decided(waiter: &Waiter<'_>, id: Id) -> Result<ConfirmationView, ActionError> {
    let read = || waiter.engine.confirmation(waiter.authenticated, id);
    waiter.poll(read, |view| !view.status.is_open()).await
}
