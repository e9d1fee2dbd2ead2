//! Bodies that nobody read. A refusal often comes before the body is looked at; the connection can't be used again then,
//! and is closed. A client that is not told of it sends its next request into a closed connection.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use axum::{
    body::{Body, HttpBody as _},
    extract::Request,
    http::{HeaderValue, Version, header},
    response::Response,
};
use futures_util::{StreamExt as _, stream};

/// Whether a request's body was read to its end.
pub(crate) struct Unread(Option<Arc<AtomicBool>>);

impl Unread {
    /// Watches the body, where there is one.
    pub fn watch(request: Request) -> (Request, Self) {
        // Only HTTP/1 sends one request after the other.
        if request.body().is_end_stream() || request.version() > Version::HTTP_11 {
            return (request, Self(None));
        }
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let end = stream::poll_fn(move |_| {
            seen.store(true, Ordering::Relaxed);
            Poll::Ready(None)
        });
        let request = request.map(|body| Body::from_stream(body.into_data_stream().chain(end)));
        (request, Self(Some(ended)))
    }

    /// Says that the connection ends with this answer, where it does.
    pub fn tell(&self, response: &mut Response) {
        if self.0.as_ref().is_some_and(|ended| !ended.load(Ordering::Relaxed)) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}
