//! A pool with a fixed number of connections. Unlike sqlx's own pool it does not ping a connection that is released: that
//! would be one more round trip for every call (`docs/adr/0009`). And those who wait take turns by workspace, so that one
//! workspace's reads never wait for all the reads of another.

mod connection;
mod permit;

pub use connection::PoolConnection;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use sqlx::{ConnectOptions as _, Connection};
use tokio::{
    sync::{Semaphore, oneshot},
    time::{Instant, timeout},
};
use toolcrib_model::Id;

use self::permit::{Handover, Permit};
use toolcrib_model::FairQueue;

/// How long [`Pool::acquire`] waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is not used again: something on its way may have cut it off.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// No connection gets older: a server frees what it keeps for one when it ends.
const MAX_LIFETIME: Duration = Duration::from_mins(30);

/// Prepares each new connection.
pub type Setup<C> = Box<dyn for<'c> Fn(&'c mut C) -> BoxFuture<'c, Result<(), sqlx::Error>> + Send + Sync>;

/// A pool of connections. Cheap to clone.
pub struct Pool<C: Connection>(Arc<Inner<C>>);

struct Inner<C: Connection> {
    options: C::Options,
    setup: Setup<C>,
    /// The connection that was released last is used first.
    idle: Mutex<Vec<IdleConnection<C>>>,
    /// Those who wait for a connection, by workspace. Some of them may have given up.
    waiters: Mutex<FairQueue<oneshot::Sender<Handover<C>>>>,
    permits: Arc<Semaphore>,
    max_connections: u32,
    closed: AtomicBool,
}

struct IdleConnection<C> {
    conn: C,
    opened: Instant,
    since: Instant,
}

impl<C: Connection> Pool<C> {
    /// A pool of at most `max_connections`. Opens one at once, so that a database that can't be reached is an error now.
    pub async fn open(
        options: C::Options,
        setup: Setup<C>,
        max_connections: u32,
    ) -> Result<Self, sqlx::Error> {
        let pool = Self(Arc::new(Inner {
            options,
            setup,
            idle: Mutex::default(),
            waiters: Mutex::new(FairQueue::new(usize::MAX)),
            permits: Arc::new(Semaphore::new(max_connections as usize)),
            max_connections,
            closed: false.into(),
        }));
        pool.acquire(Id::nil()).await?.release();
        Ok(pool)
    }

    /// A connection for a transaction of `workspace` (nil: of no workspace), in the state in which it was released. The
    /// server may have closed it meanwhile.
    ///
    /// # Errors
    /// [`sqlx::Error::PoolTimedOut`] after five seconds, [`sqlx::Error::PoolClosed`], and what connecting returns.
    pub async fn acquire(&self, workspace: Id) -> Result<PoolConnection<C>, sqlx::Error> {
        let connection = async {
            match self.wait(workspace).await? {
                Handover::Connection(connection) => Ok(connection),
                Handover::Permit(permit) => self.reuse_or_connect(permit).await,
            }
        };
        timeout(ACQUIRE_TIMEOUT, connection).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// What `begin` makes of a connection. The connection may have been closed while it was idle, so a failure is tried
    /// once more on a new one.
    pub async fn begin<T, E, F>(&self, workspace: Id, begin: impl Fn(PoolConnection<C>) -> F) -> Result<T, E>
    where
        E: From<sqlx::Error>,
        F: Future<Output = Result<T, E>>,
    {
        match begin(self.acquire(workspace).await?).await {
            Ok(begun) => Ok(begun),
            Err(_) => begin(self.acquire_new(workspace).await?).await,
        }
    }

    /// A new connection. It is needed where one was found closed: then the idle ones are closed too, and are forgotten.
    async fn acquire_new(&self, workspace: Id) -> Result<PoolConnection<C>, sqlx::Error> {
        self.idle().clear();
        let connection = async {
            let permit = match self.wait(workspace).await? {
                Handover::Connection(connection) => connection.close(),
                Handover::Permit(permit) => permit,
            };
            self.connect(permit).await
        };
        timeout(ACQUIRE_TIMEOUT, connection).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Waits until every connection was released, and closes them. From now on [`Pool::acquire`] fails.
    pub async fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        let all = self.0.permits.acquire_many(self.0.max_connections).await;
        self.0.permits.close();
        let idle = std::mem::take(&mut *self.idle());
        for IdleConnection { conn, .. } in idle {
            if let Err(error) = conn.close().await {
                tracing::debug!(%error, "a connection did not close well");
            }
        }
        drop(all);
    }

    async fn reuse_or_connect(&self, permit: Permit<C>) -> Result<PoolConnection<C>, sqlx::Error> {
        match self.pop_idle() {
            Some(IdleConnection { conn, opened, .. }) => Ok(PoolConnection::new(conn, opened, permit)),
            None => self.connect(permit).await,
        }
    }

    async fn connect(&self, permit: Permit<C>) -> Result<PoolConnection<C>, sqlx::Error> {
        let mut conn = self.0.options.connect().await?;
        (self.0.setup)(&mut conn).await?;
        Ok(PoolConnection::new(conn, Instant::now(), permit))
    }

    fn pop_idle(&self) -> Option<IdleConnection<C>> {
        let mut idle = self.idle();
        // The connections below one that was idle for too long have been idle for longer.
        let found = idle.pop().filter(|connection| connection.since.elapsed() < IDLE_TIMEOUT);
        if found.is_none() {
            idle.clear();
        }
        found
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection<C>>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Connection> Clone for Pool<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Connection> std::fmt::Debug for Pool<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("max_connections", &self.0.max_connections).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
