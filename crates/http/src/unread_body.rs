//! Enforces the time limit of request bodies, and closes a connection whose request body was not read.
//!
//! An error response is often sent before the body is read. The connection cannot be used again then, and the
//! server closes it. The response says so, because otherwise the client would send its next request on the
//! closed connection.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// Records whether a request's body was read to its end.
pub(crate) struct UnreadBody(Option<Arc<AtomicBool>>);

impl UnreadBody {
    /// Wraps the body of a request, if there is one. Reading it fails if it is not complete after `timeout`.
    pub fn watch(request: Request, timeout: Duration) -> (Request, Self) {
        if request.body().is_end_stream() {
            return (request, Self(None));
        }
        let ended = Arc::new(AtomicBool::new(false));
        let (seen, until) = (Arc::clone(&ended), Instant::now() + timeout);
        let request = request.map(|body| Body::new(Watched { body, until, timer: None, seen }));
        (request, Self(Some(ended)))
    }

    /// Sets `Connection: close` if the body was not read.
    pub fn close_if_unread(&self, response: &mut Response) {
        if self.0.as_ref().is_some_and(|ended| !ended.load(Ordering::Relaxed)) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// Whether reading a body failed because it did not arrive in time.
pub(crate) fn is_late(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut at = Some(error);
    while let Some(error) = at {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            return true;
        }
        at = error.source();
    }
    false
}

struct Watched {
    body: Body,
    until: Instant,
    /// Created when the body is pending for the first time.
    timer: Option<Pin<Box<Sleep>>>,
    seen: Arc<AtomicBool>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(None) => {
                this.seen.store(true, Ordering::Relaxed);
                Poll::Ready(None)
            }
            Poll::Ready(frame) => Poll::Ready(frame),
            Poll::Pending => {
                let until = this.until;
                let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
                timer.as_mut().poll(cx).map(|()| {
                    let late = io::Error::new(io::ErrorKind::TimedOut, "the body did not arrive in time");
                    Some(Err(axum::Error::new(late)))
                })
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
