//! Waits by polling, so that no connection to the database is held meanwhile.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolcrib_engine::ActionError;

/// The poll interval.
const STEP: Duration = Duration::from_millis(400);

/// Returns what `read` returns when it is `reached`, or in its current state after `seconds`. Each poll reads it again, and
/// so checks again that the caller may see it.
pub(crate) async fn poll<T, F>(
    seconds: u64,
    read: impl Fn() -> F,
    reached: impl Fn(&T) -> bool,
) -> Result<T, ActionError>
where
    F: Future<Output = Result<T, ActionError>>,
{
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let view = read().await?;
        if reached(&view) || Instant::now() >= end {
            return Ok(view);
        }
        sleep(STEP.min(end.saturating_duration_since(Instant::now()))).await;
    }
}
