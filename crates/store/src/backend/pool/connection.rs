//! A connection that somebody has acquired, and the ways in which it goes back.

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
    pub(super) const fn new(conn: C, opened: Instant, permit: Permit<C>) -> Self {
        Self { conn, opened, in_read_transaction: false, permit }
    }

    /// The connection.
    pub fn connection(&mut self) -> &mut C {
        &mut self.conn
    }

    /// Whether the connection is still inside the read transaction of whoever handed it over: the next statements must
    /// begin by ending that.
    pub const fn in_read_transaction(&self) -> bool {
        self.in_read_transaction
    }

    /// Hands the connection over, inside a read transaction, to the next one who waits; returns it if nobody waits. An idle
    /// connection must not be left in a transaction, because that keeps a snapshot alive.
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

    /// Gives the connection back to the pool. It must not be inside a transaction.
    pub fn release(self) {
        let Self { conn, opened, permit, .. } = self;
        if opened.elapsed() < MAX_LIFETIME {
            permit.pool.idle().push(IdleConnection { conn, opened, since: Instant::now() });
        }
        drop(permit);
    }

    /// Closes the connection and keeps the right to another one.
    pub(super) fn close(self) -> Permit<C> {
        self.permit
    }
}
