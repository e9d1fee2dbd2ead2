//! One connection.

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
    Bounds,
    watched::{Requests, Watched},
};

/// The most that the head of a request may weigh, in bytes.
const HEAD: usize = 64 * 1024;

/// Serves requests of one client until it or a time-out ends the connection. `once`: one request alone.
pub async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    bounds: Bounds,
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
        // The time-outs are the stream's own.
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
    if let Err(fault) = ended {
        tracing::debug!(%peer, %fault, "a connection broke off");
    }
}

/// A request that runs, until its answer is written or nobody waits for it any more.
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

/// The body of an answer, during which its request runs.
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
