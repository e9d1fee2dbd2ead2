//! A pool with a fixed number of connections. Unlike sqlx's pool it does not ping a connection that is released, which
//! would be one more round trip for every call (`docs/decisions/transactions.md`). Waiting tasks get connections in
//! turn by workspace, so that a read of one workspace never waits for all reads of another.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use sqlx::{ConnectOptions as _, Connection};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, timeout},
};
use toolcrib_model::{FairQueue, Id};

/// How long [`Pool::acquire`] waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is not used again: a firewall or proxy may have dropped it.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// A connection is closed at this age, so that the server frees the memory that it holds for the connection.
const MAX_LIFETIME: Duration = Duration::from_mins(30);

/// Runs the first statements of each new connection.
pub type Setup<C> = Box<dyn for<'c> Fn(&'c mut C) -> BoxFuture<'c, Result<(), sqlx::Error>> + Send + Sync>;

/// A pool of connections. Cheap to clone.
pub struct Pool<C: Connection>(Arc<Inner<C>>);

struct Inner<C: Connection> {
    /// The label `pool` of its metrics.
    name: &'static str,
    options: C::Options,
    setup: Setup<C>,
    /// The connection that was released last is used first.
    idle: Mutex<Vec<IdleConnection<C>>>,
    /// The tasks that wait for a connection, by workspace. Some may have been cancelled.
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
    /// Makes a pool of at most `max_connections`. Opens one connection at once, so that an unreachable database is an
    /// error here.
    pub async fn open(
        name: &'static str,
        options: C::Options,
        setup: Setup<C>,
        max_connections: u32,
    ) -> Result<Self, sqlx::Error> {
        let pool = Self(Arc::new(Inner {
            name,
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

    /// Gets a connection for a transaction of `workspace` (the nil id for none), in the state in which it was released.
    /// The server may have closed it since.
    ///
    /// # Errors
    /// [`sqlx::Error::PoolTimedOut`] after five seconds, [`sqlx::Error::PoolClosed`], and the errors of connecting.
    pub async fn acquire(&self, workspace: Id) -> Result<PoolConnection<C>, sqlx::Error> {
        let connection = async {
            match self.wait(workspace).await? {
                Handover::Connection(connection) => Ok(connection),
                Handover::Permit(permit) => self.reuse_or_connect(permit).await,
            }
        };
        self.in_time(connection).await
    }

    /// Acquires a connection and runs `begin` on it. If `begin` fails, it runs once more on a new connection, because
    /// the first one may have been closed while it was idle.
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

    /// Opens a new connection, after one was found closed. Drops the idle connections, which are then closed too.
    async fn acquire_new(&self, workspace: Id) -> Result<PoolConnection<C>, sqlx::Error> {
        self.0.idle.lock().clear();
        let connection = async {
            let permit = match self.wait(workspace).await? {
                // This closes the connection.
                Handover::Connection(connection) => connection.permit,
                Handover::Permit(permit) => permit,
            };
            self.connect(permit).await
        };
        self.in_time(connection).await
    }

    async fn in_time(
        &self,
        connection: impl Future<Output = Result<PoolConnection<C>, sqlx::Error>>,
    ) -> Result<PoolConnection<C>, sqlx::Error> {
        let asked = Instant::now();
        let connection = timeout(ACQUIRE_TIMEOUT, connection).await;
        record_wait(self.0.name, asked);
        connection.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Waits until every connection is released and closes them. [`Pool::acquire`] fails as soon as this is called.
    pub async fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        let all = self.0.permits.acquire_many(self.0.max_connections).await;
        self.0.permits.close();
        let idle = std::mem::take(&mut *self.0.idle.lock());
        for IdleConnection { conn, .. } in idle {
            if let Err(error) = conn.close().await {
                tracing::debug!(%error, "a connection did not close well");
            }
        }
        drop(all);
    }

    /// Sets the gauges of the connections that are held and that are idle.
    pub fn record_connections(&self) {
        let free = u32::try_from(self.0.permits.available_permits()).unwrap_or(u32::MAX);
        let idle = u32::try_from(self.0.idle.lock().len()).unwrap_or(u32::MAX);
        let states = [("in_use", self.0.max_connections.saturating_sub(free)), ("idle", idle)];
        for (state, count) in states {
            metrics::gauge!("toolcrib_pool_connections", "pool" => self.0.name, "state" => state).set(count);
        }
    }

    async fn reuse_or_connect(&self, permit: Permit<C>) -> Result<PoolConnection<C>, sqlx::Error> {
        match self.pop_idle() {
            Some(idle) => Ok(PoolConnection::new(idle.conn, idle.opened, permit)),
            None => self.connect(permit).await,
        }
    }

    async fn connect(&self, permit: Permit<C>) -> Result<PoolConnection<C>, sqlx::Error> {
        let mut conn = self.0.options.connect().await?;
        (self.0.setup)(&mut conn).await?;
        Ok(PoolConnection::new(conn, Instant::now(), permit))
    }

    /// Waits for a permit, or for a connection that another task hands over.
    async fn wait(&self, workspace: Id) -> Result<Handover<C>, sqlx::Error> {
        if self.0.closed.load(Ordering::Acquire) {
            return Err(sqlx::Error::PoolClosed);
        }
        let handed_over = {
            // A permit is returned under this lock, so none is returned between the two steps.
            let mut waiters = self.waiters();
            if let Ok(permit) = Arc::clone(&self.0.permits).try_acquire_owned() {
                return Ok(Handover::Permit(Permit { pool: self.clone(), permit: Some(permit) }));
            }
            let (hand_over, handed_over) = oneshot::channel();
            // The queue is not limited, so the push can't fail.
            drop(waiters.push(workspace, hand_over));
            waiters.discard_first(workspace, oneshot::Sender::is_closed);
            handed_over
        };
        handed_over.await.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Gives `handover` to the next task that still waits; returns it if no task does.
    fn give(waiters: &mut Waiters<'_, C>, mut handover: Handover<C>) -> Result<(), Handover<C>> {
        while let Some(waiter) = waiters.pop() {
            match waiter.send(handover) {
                Ok(()) => return Ok(()),
                Err(gone) => handover = gone,
            }
        }
        Err(handover)
    }

    fn waiters(&self) -> Waiters<'_, C> {
        self.0.waiters.lock()
    }

    fn pop_idle(&self) -> Option<IdleConnection<C>> {
        let mut idle = self.0.idle.lock();
        // The connections below it in the stack have been idle for longer still.
        let found = idle.pop().filter(|connection| connection.since.elapsed() < IDLE_TIMEOUT);
        if found.is_none() {
            idle.clear();
        }
        found
    }
}

/// A permit to hold one connection. Dropping it gives it to the next waiting task.
struct Permit<C: Connection> {
    pool: Pool<C>,
    /// `None` after it was passed on.
    permit: Option<OwnedSemaphorePermit>,
}

/// What a waiting task receives.
enum Handover<C: Connection> {
    /// A connection, inside the read transaction of the task that held it before.
    Connection(PoolConnection<C>),
    /// A permit to hold a connection.
    Permit(Permit<C>),
}

/// A connection of a [`Pool`]. Dropping it closes it; only [`PoolConnection::release`] and
/// [`PoolConnection::hand_to_waiter`] keep it open.
pub struct PoolConnection<C: Connection> {
    conn: C,
    opened: Instant,
    in_read_transaction: bool,
    permit: Permit<C>,
}

impl<C: Connection> PoolConnection<C> {
    fn new(conn: C, opened: Instant, permit: Permit<C>) -> Self {
        Self { conn, opened, in_read_transaction: false, permit }
    }

    pub fn connection(&mut self) -> &mut C {
        &mut self.conn
    }

    /// Whether the connection is still inside the read transaction of the task that handed it over. The next message
    /// must end that transaction first.
    pub const fn in_read_transaction(&self) -> bool {
        self.in_read_transaction
    }

    /// Hands the connection, inside a read transaction, to the next waiting task; returns it if no task waits. The
    /// caller must then end the transaction, because an idle connection in a transaction keeps a snapshot alive.
    pub fn hand_to_waiter(mut self) -> Result<(), Self> {
        if self.opened.elapsed() >= MAX_LIFETIME {
            return Err(self);
        }
        let pool = self.permit.pool.clone();
        self.in_read_transaction = true;
        match Pool::give(&mut pool.waiters(), Handover::Connection(self)) {
            Err(Handover::Connection(mut connection)) => {
                connection.in_read_transaction = false;
                Err(connection)
            }
            _ => Ok(()),
        }
    }

    /// Returns the connection to the pool. It must not be inside a transaction.
    pub fn release(self) {
        let Self { conn, opened, permit, .. } = self;
        if opened.elapsed() < MAX_LIFETIME {
            permit.pool.0.idle.lock().push(IdleConnection { conn, opened, since: Instant::now() });
        }
        drop(permit);
    }
}

/// The locked queue of waiting tasks.
type Waiters<'p, C> = MutexGuard<'p, FairQueue<oneshot::Sender<Handover<C>>>>;

impl<C: Connection> Drop for Permit<C> {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let mut waiters = self.pool.waiters();
        let next = Self { pool: self.pool.clone(), permit: Some(permit) };
        // No task waits: return the permit to the semaphore under the lock. `take` keeps this `drop` from running
        // again.
        if let Err(Handover::Permit(mut unused)) = Pool::give(&mut waiters, Handover::Permit(next)) {
            drop(unused.permit.take());
        }
    }
}

/// Counts how long a task waited for a connection, also where it got none.
pub fn record_wait(pool: &'static str, asked: Instant) {
    metrics::histogram!("toolcrib_pool_wait_seconds", "pool" => pool).record(asked.elapsed());
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
