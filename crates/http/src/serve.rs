//! Serves a router with a limit on the number of connections and time limits for each client.
//!
//! Supports HTTP/1.1 only (`docs/decisions/interfaces.md`): an HTTP/2 client can stop reading one stream of a
//! connection, which the time limits of the connection do not notice.

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
use toolcrib_engine::GaugeGuard;

/// How many connections beyond the cap are accepted. They are served health and readiness only.
pub const SPARE: usize = 16;
/// The maximum duration of a connection beyond the cap.
const SPARE_TIME: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted, for example because the limit of open files is
/// reached.
const NO_FILES: Duration = Duration::from_millis(100);

/// The limit of connections, and the time limits of a client.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// The maximum number of open connections.
    pub connections: usize,
    /// For the head of a request, from its first byte. For the first request, from the start of the
    /// connection.
    pub head: Duration,
    /// Between a response and the next request.
    pub idle: Duration,
    /// For a write to make progress, when the client does not read the response or stream.
    pub write: Duration,
}

pub struct Served {
    /// For connections within the cap.
    pub full: Router,
    /// For connections beyond the cap.
    pub spare: Router,
}

/// Serves until `ending` is `true`, and then until the last connection ended. Handlers find the peer's
/// address in `ConnectInfo<SocketAddr>`.
pub async fn serve(
    listener: TcpListener,
    served: Served,
    bounds: ConnectionLimits,
    mut ending: watch::Receiver<bool>,
) {
    let connections = TaskTracker::new();
    let permits = ConnectionPermits::new(bounds.connections);
    let shutdown = ending.clone();
    let accepting = async {
        loop {
            let mut permit = permits.next().await;
            let Some((stream, peer)) = accepted(&listener).await else { continue };
            permits.upgrade(&mut permit);
            let (router, spare) = match permit {
                ConnectionPermit::Full(_) => (served.full.clone(), false),
                ConnectionPermit::Spare(_) => (served.spare.clone(), true),
            };
            let (bounds, ending) = (if spare { spare_bounds(bounds) } else { bounds }, shutdown.clone());
            let counted = GaugeGuard::new(metrics::gauge!("toolcrib_http_connections"));
            connections.spawn(async move {
                let serving = connection::serve(stream, peer, router, bounds, spare, ending);
                if spare {
                    // The result does not matter: the permit is released in any case.
                    let _ = tokio::time::timeout(SPARE_TIME, serving).await;
                } else {
                    serving.await;
                }
                drop((permit, counted));
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        // A dropped sender does not end the server. The caller then has to cancel this future.
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

/// Accepts the next connection. Returns `None` if that failed.
async fn accepted(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(accepted) => Some(accepted),
        Err(error) if is_of_one_connection(&error) => None,
        Err(error) => {
            tracing::error!(%error, "connections can't be accepted now; is the limit of open files too low?");
            sleep(NO_FILES).await;
            None
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

struct ConnectionPermits {
    full: Arc<Semaphore>,
    spare: Arc<Semaphore>,
}

/// The permit of one connection, released on drop. It is `None` only if its semaphore is closed, which never
/// happens.
enum ConnectionPermit {
    Full(#[expect(dead_code, reason = "held")] Option<OwnedSemaphorePermit>),
    Spare(#[expect(dead_code, reason = "held")] Option<OwnedSemaphorePermit>),
}

impl ConnectionPermits {
    fn new(connections: usize) -> Self {
        let full = Semaphore::new(connections.min(Semaphore::MAX_PERMITS));
        Self { full: Arc::new(full), spare: Arc::new(Semaphore::new(SPARE)) }
    }

    async fn next(&self) -> ConnectionPermit {
        tokio::select! {
            biased;
            permit = Arc::clone(&self.full).acquire_owned() => ConnectionPermit::Full(permit.ok()),
            permit = Arc::clone(&self.spare).acquire_owned() => ConnectionPermit::Spare(permit.ok()),
        }
    }

    /// Replaces a spare permit by a full one if a full one was released while the spare one waited for a
    /// connection.
    fn upgrade(&self, permit: &mut ConnectionPermit) {
        if let (ConnectionPermit::Spare(_), Ok(full)) = (&*permit, Arc::clone(&self.full).try_acquire_owned())
        {
            *permit = ConnectionPermit::Full(Some(full));
        }
    }
}
