//! Waiting without sleeping, for what is answered within microseconds.

use std::{pin::pin, task::Poll};

use futures_util::future::poll_fn;

/// How often a future is asked again before its thread sleeps: about a tenth of a millisecond.
const TURNS: u32 = 200;

/// Runs a future on a thread of its own. Each statement is answered by the connection's thread; waking this one up for
/// every answer would take longer than the answer did. In between, the processor is anybody's.
pub async fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| {
        for _ in 0..TURNS {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(output);
            }
            std::thread::yield_now();
        }
        Poll::Pending
    })
    .await
}
