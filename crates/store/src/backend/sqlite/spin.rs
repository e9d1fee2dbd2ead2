//! Polls a future repeatedly before its thread sleeps, for results that arrive within microseconds.

use std::{pin::pin, time::Duration};

use futures_util::future::poll_fn;
use tokio::time::Instant;

/// How long a future is polled before its thread sleeps. A write takes less than this.
const MAX_SPIN: Duration = Duration::from_micros(300);

/// Awaits a future on the writer's thread. The connection's thread runs each statement; waking this thread for every
/// result would take longer than the statement. Between two polls the thread runs its other tasks and yields the
/// processor.
pub async fn spin<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let until = Instant::now() + MAX_SPIN;
    poll_fn(|cx| {
        let poll = future.as_mut().poll(cx);
        if poll.is_pending() && Instant::now() < until {
            cx.waker().wake_by_ref();
            std::thread::yield_now();
        }
        poll
    })
    .await
}
