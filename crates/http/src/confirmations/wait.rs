//! Waits for a decision by polling, so that no connection to the database is held meanwhile.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolcrib_engine::{ActionError, Authenticated, ConfirmationView, Engine};
use toolcrib_model::{ConfirmationStatus, Id};

/// The poll interval.
const STEP: Duration = Duration::from_millis(400);

/// Returns the confirmation when it has ended, or in its current state after `seconds`.
pub async fn until_ended(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    until(engine, authenticated, (id, seconds), ConfirmationStatus::has_ended).await
}

/// Like [`until_ended`], and also returns when the application has to run the approved call.
pub(crate) async fn until_decided(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    until(engine, authenticated, (id, seconds), |status| !status.is_open()).await
}

/// Each poll checks again that the caller may see the confirmation.
async fn until(
    engine: &Engine,
    authenticated: &Authenticated,
    (id, seconds): (Id, u64),
    reached: fn(ConfirmationStatus) -> bool,
) -> Result<ConfirmationView, ActionError> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let view = engine.confirmation(authenticated, id).await?;
        if reached(view.status) || Instant::now() >= end {
            return Ok(view);
        }
        sleep(STEP.min(end - Instant::now())).await;
    }
}
