//! Permits to hold one of the pool's connections, and the order in which waiting tasks get them.

use std::sync::{Arc, atomic::Ordering};

use parking_lot::MutexGuard;
use sqlx::Connection;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use toolcrib_model::Id;

use super::{Pool, PoolConnection};
use toolcrib_model::FairQueue;

/// A permit to hold one connection. Dropping it gives it to the next waiting task.
pub(super) struct Permit<C: Connection> {
    pub(super) pool: Pool<C>,
    /// `None` after it was passed on.
    permit: Option<OwnedSemaphorePermit>,
}

/// What a waiting task receives.
pub(super) enum Handover<C: Connection> {
    /// A connection, inside the read transaction of the task that held it before.
    Connection(PoolConnection<C>),
    /// A permit to hold a connection.
    Permit(Permit<C>),
}

impl<C: Connection> Pool<C> {
    /// Waits for a permit, or for a connection that another task hands over.
    pub(super) async fn wait(&self, workspace: Id) -> Result<Handover<C>, sqlx::Error> {
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
    pub(super) fn give(waiters: &mut Waiters<'_, C>, mut handover: Handover<C>) -> Result<(), Handover<C>> {
        while let Some(waiter) = waiters.pop() {
            match waiter.send(handover) {
                Ok(()) => return Ok(()),
                Err(gone) => handover = gone,
            }
        }
        Err(handover)
    }

    pub(super) fn waiters(&self) -> Waiters<'_, C> {
        self.0.waiters.lock()
    }
}

/// The locked queue of waiting tasks.
pub(super) type Waiters<'p, C> = MutexGuard<'p, FairQueue<oneshot::Sender<Handover<C>>>>;

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
