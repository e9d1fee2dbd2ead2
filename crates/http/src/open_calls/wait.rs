//! Waits for the end of a call by polling, so that no connection to the database is held meanwhile.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolcrib_engine::{ActionError, Authenticated, Engine, OpenCallView};
use toolcrib_model::Id;

/// The poll interval.
const STEP: Duration = Duration::from_millis(400);

/// Returns the call when it has ended, or in its current state after `seconds`. Each poll checks again that the caller may
/// see it.
pub(super) async fn until_ended(
    engine: &Engine,
    authenticated: &Authenticated,
    id: Id,
    seconds: u64,
) -> Result<OpenCallView, ActionError> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let view = engine.open_call(authenticated, id).await?;
        if view.answer().is_some() || Instant::now() >= end {
            return Ok(view);
        }
        sleep(STEP.min(end.saturating_duration_since(Instant::now()))).await;
    }
}
