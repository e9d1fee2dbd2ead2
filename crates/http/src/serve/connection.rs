//! Serves one connection.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use axum::{Router, body::Body, extract::ConnectInfo};
use bytes::Bytes;
use hyper::{
    Request,
    body::{Body as HttpBody, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::watch};
use tower::ServiceExt as _;

use super::{
    ConnectionLimits,
    watched::{Requests, Watched},
};

/// The maximum size of the head of a request, in bytes.
const HEAD: usize = 64 * 1024;

/// Serves requests until the client or a time limit ends the connection. `once`: serves one request only.
pub async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    bounds: ConnectionLimits,
    once: bool,
    mut ending: watch::Receiver<bool>,
) {
    let requests = Arc::new(Requests::new());
    let io = TokioIo::new(Watched::new(stream, bounds, Arc::clone(&requests)));
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, running) = (router.clone(), Running::begin(&requests));
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            let Ok(response) = router.oneshot(request).await;
            Ok::<_, Infallible>(response.map(|body| Answered { body, _running: running }))
        }
    });
    let connection = http1::Builder::new()
        .keep_alive(!once)
        .max_buf_size(HEAD)
        .max_header_size(HEAD)
        // `Watched` enforces the time limits.
        .header_read_timeout(None)
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = super::ended(&mut ending) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection broke off");
    }
}

/// Counts a request as running until its response is written or dropped.
struct Running(Arc<Requests>);

impl Running {
    fn begin(requests: &Arc<Requests>) -> Self {
        requests.begin();
        Self(Arc::clone(requests))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A response body. Its request counts as running until the body is dropped.
struct Answered {
    body: Body,
    _running: Running,
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
