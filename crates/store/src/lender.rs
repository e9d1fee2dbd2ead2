//! A fixed number of connections, lent one at a time. sqlx's own pool asks the database about each connection that is given
//! back: one more round trip for every call (`docs/adr/0009`).

mod lent;

pub use lent::Lent;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use sqlx::{ConnectOptions as _, Connection};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, timeout},
};

/// How long somebody waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection that was idle for longer may have been cut off on its way.
const IDLE: Duration = Duration::from_mins(10);
/// No connection gets older: a server frees what it keeps for one when it ends.
const AGE: Duration = Duration::from_mins(30);

/// What is done to each new connection.
pub type Setup<C> = Box<dyn for<'c> Fn(&'c mut C) -> BoxFuture<'c, Result<(), sqlx::Error>> + Send + Sync>;

/// Lends connections. Cheap to clone.
pub struct Lender<C: Connection>(Arc<Inner<C>>);

struct Inner<C: Connection> {
    options: C::Options,
    setup: Setup<C>,
    /// The last one given back is the first one lent.
    idle: Mutex<Vec<Kept<C>>>,
    /// Who waits, the first one first. One that has its connection, or is gone, is passed over.
    waiting: Mutex<VecDeque<oneshot::Sender<Lent<C>>>>,
    turns: Arc<Semaphore>,
    most: u32,
    closed: AtomicBool,
}

struct Kept<C> {
    conn: C,
    opened: Instant,
    since: Instant,
}

impl<C: Connection> Lender<C> {
    /// Lends at most `most` connections at a time. One is opened at once, so that what can't be reached is known now.
    pub async fn open(options: C::Options, setup: Setup<C>, most: u32) -> Result<Self, sqlx::Error> {
        let turns = Arc::new(Semaphore::new(most as usize));
        let lender = Self(Arc::new(Inner {
            options,
            setup,
            idle: Mutex::default(),
            waiting: Mutex::default(),
            turns,
            most,
            closed: false.into(),
        }));
        lender.lend().await?.give_back();
        Ok(lender)
    }

    /// A connection, as the last borrower left it. It may turn out to have been closed by the server.
    pub async fn lend(&self) -> Result<Lent<C>, sqlx::Error> {
        if let Ok(turn) = Arc::clone(&self.0.turns).try_acquire_owned() {
            return self.in_time(self.take(turn)).await;
        }
        self.in_time(async {
            let mut handed_on = self.queue();
            let turn = tokio::select! {
                turn = self.turn() => turn?,
                Ok(lent) = &mut handed_on => return Ok(lent),
            };
            handed_on.close();
            match handed_on.try_recv() {
                Ok(lent) => Ok(lent),
                Err(_) => self.take(turn).await,
            }
        })
        .await
    }

    /// What `begin` makes of a connection. One that was kept may have been closed meanwhile, so a failure is tried once
    /// more on a new connection.
    pub async fn begin<T, E, F>(&self, begin: impl Fn(Lent<C>) -> F) -> Result<T, E>
    where
        E: From<sqlx::Error>,
        F: Future<Output = Result<T, E>>,
    {
        match begin(self.lend().await?).await {
            Ok(begun) => Ok(begun),
            Err(_) => begin(self.lend_new().await?).await,
        }
    }

    /// A new connection. Where one was found closed the idle ones are so too, and are forgotten.
    async fn lend_new(&self) -> Result<Lent<C>, sqlx::Error> {
        self.idle().clear();
        self.in_time(async { self.connect(self.turn().await?).await }).await
    }

    /// Waits until every connection was given back, and closes them. Nothing is lent any more.
    pub async fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        let all = self.0.turns.acquire_many(self.0.most).await;
        self.0.turns.close();
        let kept = std::mem::take(&mut *self.idle());
        for Kept { conn, .. } in kept {
            if let Err(fault) = conn.close().await {
                tracing::debug!(%fault, "a connection did not close well");
            }
        }
        drop(all);
    }

    async fn in_time(
        &self,
        lending: impl Future<Output = Result<Lent<C>, sqlx::Error>>,
    ) -> Result<Lent<C>, sqlx::Error> {
        timeout(PATIENCE, lending).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, sqlx::Error> {
        if self.0.closed.load(Ordering::Acquire) {
            return Err(sqlx::Error::PoolClosed);
        }
        self.0.turns.clone().acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Waits for a connection that somebody hands on.
    fn queue(&self) -> oneshot::Receiver<Lent<C>> {
        let (hand, handed_on) = oneshot::channel();
        let mut waiting = self.waiting();
        while waiting.front().is_some_and(oneshot::Sender::is_closed) {
            waiting.pop_front();
        }
        waiting.push_back(hand);
        handed_on
    }

    async fn take(&self, turn: OwnedSemaphorePermit) -> Result<Lent<C>, sqlx::Error> {
        match self.kept() {
            Some(Kept { conn, opened, .. }) => Ok(self.lent(conn, opened, turn)),
            None => self.connect(turn).await,
        }
    }

    async fn connect(&self, turn: OwnedSemaphorePermit) -> Result<Lent<C>, sqlx::Error> {
        let mut conn = self.0.options.connect().await?;
        (self.0.setup)(&mut conn).await?;
        Ok(self.lent(conn, Instant::now(), turn))
    }

    fn lent(&self, conn: C, opened: Instant, turn: OwnedSemaphorePermit) -> Lent<C> {
        Lent { conn, opened, reading: false, lender: self.clone(), turn }
    }

    fn kept(&self) -> Option<Kept<C>> {
        let mut idle = self.idle();
        // What is behind one that was idle for too long was idle for longer.
        let kept = idle.pop().filter(|kept| kept.since.elapsed() < IDLE);
        if kept.is_none() {
            idle.clear();
        }
        kept
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Kept<C>>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<oneshot::Sender<Lent<C>>>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Connection> Clone for Lender<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Connection> std::fmt::Debug for Lender<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lender").field("most", &self.0.most).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
