//! Polls a future repeatedly before its thread sleeps, for results that arrive within microseconds.

use std::{pin::pin, task::Poll};

use futures_util::future::poll_fn;

/// How often a future is polled before its thread sleeps: about a tenth of a millisecond.
const TURNS: u32 = 200;

/// Runs a future on the writer's thread. The connection's thread runs each statement; waking this thread for every result
/// would take longer than the statement. Between two polls the thread yields the processor.
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
