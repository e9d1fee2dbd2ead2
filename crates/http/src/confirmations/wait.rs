//! Waits for a decision by polling, so that no connection to the database is held meanwhile.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolcrib_engine::{ActionError, Authenticated, ConfirmationView, Engine};
use toolcrib_model::Id;

/// The poll interval.
const STEP: Duration = Duration::from_millis(400);

/// Returns the confirmation when it has ended, or in its current state after `seconds`. Each poll checks
/// again that the caller may see it.
pub async fn until_decided(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let view = engine.confirmation(authenticated, id).await?;
        if view.status.has_ended() || Instant::now() >= end {
            return Ok(view);
        }
        sleep(STEP.min(end - Instant::now())).await;
    }
}
