//! A connection that was acquired from the pool, and the ways to return it.

use sqlx::Connection;
use tokio::time::Instant;

use super::{
    IdleConnection, MAX_LIFETIME, Pool,
    permit::{Handover, Permit},
};

/// A connection of a [`Pool`]. Dropping it closes it; only [`PoolConnection::release`] and
/// [`PoolConnection::hand_to_waiter`] keep it open.
pub struct PoolConnection<C: Connection> {
    conn: C,
    pub(super) opened: Instant,
    in_read_transaction: bool,
    permit: Permit<C>,
}

impl<C: Connection> PoolConnection<C> {
    pub(super) fn new(conn: C, permit: Permit<C>) -> Self {
        Self { conn, opened: Instant::now(), in_read_transaction: false, permit }
    }

    pub(super) fn reused(idle: IdleConnection<C>, permit: Permit<C>) -> Self {
        let IdleConnection { conn, opened, .. } = idle;
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

    /// Closes the connection and returns its permit, for another one.
    pub(super) fn close(self) -> Permit<C> {
        self.permit
    }
}
