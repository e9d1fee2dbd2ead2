//! Waiting for a human, in short steps: nothing is held while nobody decides.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolcrib_engine::{ActionError, Authenticated, ConfirmationView, Engine};
use toolcrib_model::Id;

/// Between two looks.
const STEP: Duration = Duration::from_millis(400);

/// The confirmation once it is decided, or as it is when the time is up. The caller's right to see it is asked again
/// with every look.
pub async fn until_decided(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<ConfirmationView, ActionError> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let view = engine.confirmation(authenticated, id).await?;
        if !view.status.is_open() || Instant::now() >= end {
            return Ok(view);
        }
        sleep(STEP.min(end - Instant::now())).await;
    }
}
