//! The time limit of a request, which begins when there is a connection.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::{RequestBuilder, Response};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout_at},
};

use super::SendError;

/// The timeout of connecting: the look-up, TCP and TLS.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a request may take, from its connection on.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Until the head of the response. At most `whole`.
    pub head: Duration,
    /// Until the end of its body.
    pub whole: Duration,
}

tokio::task_local! {
    /// What the request of this task waits for.
    static CONNECTING: Arc<Connecting>;
}

/// Tells how far the connection of a request is. A request on a kept connection never begins to connect.
#[derive(Default)]
struct Connecting {
    has_begun: AtomicBool,
    /// Told before anything of the request is sent.
    connected: Notify,
}

/// Tells the task that its request needs a connection.
pub fn mark_begun<D>(destination: D) -> D {
    let _ = CONNECTING.try_with(|connecting| connecting.has_begun.store(true, Ordering::SeqCst));
    destination
}

/// Tells the task that its request has a connection.
pub fn mark_connected<C>(connection: C) -> C {
    // Without a task that waits, the limit of the whole request still works.
    let _ = CONNECTING.try_with(|connecting| connecting.connected.notify_one());
    connection
}

/// Sends a request and waits for the head of the response. Returns also when its body must be complete: both time
/// limits begin when there is a connection.
pub async fn respond(
    request: RequestBuilder,
    Limits { head, whole }: Limits,
) -> Result<(Response, Instant), SendError> {
    let connecting = Arc::new(Connecting::default());
    // This limit works only where a connection is made and `connected` is not told; else a shorter one ends the
    // request.
    let request = request.timeout(CONNECT_TIMEOUT + whole);
    let mut sending = std::pin::pin!(CONNECTING.scope(connecting.clone(), request.send()));
    let of_kept = Instant::now() + head;
    let early = tokio::select! {
        biased;
        response = &mut sending => Some(response),
        () = connecting.connected.notified() => None,
        () = connecting.end_of_kept(of_kept) => return Err(SendError::TimedOut),
    };
    let is_kept = early.is_some() && !connecting.has_begun();
    let deadline = if is_kept { of_kept } else { Instant::now() + head };
    let response = match early {
        Some(response) => response,
        None => timeout_at(deadline, sending).await.map_err(|_| SendError::TimedOut)?,
    };
    Ok((response.map_err(SendError::from)?, deadline + whole.saturating_sub(head)))
}

impl Connecting {
    fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst)
    }

    /// Waits for the deadline of a request on a kept connection; forever for one that connects.
    async fn end_of_kept(&self, deadline: Instant) {
        sleep_until(deadline).await;
        if self.has_begun() {
            std::future::pending::<()>().await;
        }
    }
}
