//! Waits for a decision.

use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, ConfirmationView, Engine};
use toolcrib_model::Id;

use crate::poll::poll;

/// Returns the confirmation when it has ended, or in its current state after `seconds`.
pub async fn until_ended(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    poll(seconds, || engine.confirmation(authenticated, id), |view| view.status.has_ended()).await
}

/// Like [`until_ended`], and also returns when the application has to run the approved call.
pub(crate) async fn until_decided(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    poll(seconds, || engine.confirmation(authenticated, id), |view| !view.status.is_open()).await
}
