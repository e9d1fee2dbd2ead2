//! Listening: a bounded number of connections, each with bounded time for what its client has to do.
//!
//! HTTP/1.1 alone (ADR 14): in HTTP/2 a client can stop reading one stream of many where no time-out sees it.

mod connection;
mod watched;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::sleep,
};
use tokio_util::task::TaskTracker;

/// Connections beyond the cap that are answered on health and readiness alone.
pub const SPARE: usize = 16;
/// How long such a connection may last.
const SPARE_TIME: Duration = Duration::from_secs(5);
/// How long to wait where the process has no file left for a connection.
const NO_FILES: Duration = Duration::from_millis(100);

/// How many clients are served, and how long they may take for what they have to do.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections at a time.
    pub connections: usize,
    /// For the head of a request, from its first byte on; for the first one from the start of the connection.
    pub head: Duration,
    /// Between an answer and the next request.
    pub idle: Duration,
    /// Between two moments at which something of an answer or a stream was taken.
    pub write: Duration,
}

/// What is served.
pub struct Served {
    /// Within the cap.
    pub full: Router,
    /// Beyond it.
    pub spare: Router,
}

/// Serves until `ending` says `true`, and then until the last connection ended. Handlers find the peer's address in
/// `ConnectInfo<SocketAddr>`.
pub async fn serve(
    listener: TcpListener,
    served: Served,
    bounds: ConnectionLimits,
    mut ending: watch::Receiver<bool>,
) {
    let connections = TaskTracker::new();
    let places = Places::new(bounds.connections);
    let told = ending.clone();
    let accepting = async {
        loop {
            let mut place = places.next().await;
            let Some((stream, peer)) = accepted(&listener).await else { continue };
            places.improve(&mut place);
            let (router, spare) = match place {
                Place::Full(_) => (served.full.clone(), false),
                Place::Spare(_) => (served.spare.clone(), true),
            };
            let (bounds, ending) = (if spare { spare_bounds(bounds) } else { bounds }, told.clone());
            connections.spawn(async move {
                let serving = connection::serve(stream, peer, router, bounds, spare, ending);
                if spare {
                    // Whatever became of it, its place is wanted.
                    let _ = tokio::time::timeout(SPARE_TIME, serving).await;
                } else {
                    serving.await;
                }
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        // A sender that is gone ends nothing: whoever serves then is ended from outside.
        () = ended(&mut ending) => {}
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn ended(ending: &mut watch::Receiver<bool>) {
    if ending.wait_for(|ended| *ended).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn spare_bounds(bounds: ConnectionLimits) -> ConnectionLimits {
    ConnectionLimits { head: bounds.head.min(SPARE_TIME), write: bounds.write.min(SPARE_TIME), ..bounds }
}

/// The next connection; none where one broke before it was taken.
async fn accepted(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(accepted) => Some(accepted),
        Err(fault) if is_of_one_connection(&fault) => None,
        Err(fault) => {
            tracing::error!(%fault, "connections can't be accepted now; is the limit of open files too low?");
            sleep(NO_FILES).await;
            None
        }
    }
}

fn is_of_one_connection(fault: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(fault.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Who may have a connection.
struct Places {
    full: Arc<Semaphore>,
    spare: Arc<Semaphore>,
}

/// Given back when it is dropped. Absent permits are those of closed semaphores, and these are never closed.
enum Place {
    Full(#[expect(dead_code, reason = "held")] Option<OwnedSemaphorePermit>),
    Spare(#[expect(dead_code, reason = "held")] Option<OwnedSemaphorePermit>),
}

impl Places {
    fn new(connections: usize) -> Self {
        let full = Semaphore::new(connections.min(Semaphore::MAX_PERMITS));
        Self { full: Arc::new(full), spare: Arc::new(Semaphore::new(SPARE)) }
    }

    async fn next(&self) -> Place {
        tokio::select! {
            biased;
            permit = Arc::clone(&self.full).acquire_owned() => Place::Full(permit.ok()),
            permit = Arc::clone(&self.spare).acquire_owned() => Place::Spare(permit.ok()),
        }
    }

    /// A full place that became free while a spare one waited for its connection.
    fn improve(&self, place: &mut Place) {
        if let (Place::Spare(_), Ok(permit)) = (&*place, Arc::clone(&self.full).try_acquire_owned()) {
            *place = Place::Full(Some(permit));
        }
    }
}
