//! A connection in a borrower's hands, and how it leaves them.

use sqlx::Connection;
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

use super::{AGE, Kept, Lender};

/// A connection that is lent. One that is dropped is closed; only [`Lent::give_back`] and [`Lent::hand_on`] keep it.
pub struct Lent<C: Connection> {
    pub(super) conn: C,
    pub(super) opened: Instant,
    pub(super) reading: bool,
    pub(super) lender: Lender<C>,
    pub(super) turn: OwnedSemaphorePermit,
}

impl<C: Connection> Lent<C> {
    /// The connection.
    pub fn connection(&mut self) -> &mut C {
        &mut self.conn
    }

    /// Whether it is inside the read transaction of whoever handed it on: the next statements must begin by ending that.
    pub const fn reading(&self) -> bool {
        self.reading
    }

    /// Hands it, inside a read transaction, to the first who waits; returns it if nobody does. What nobody takes would
    /// keep a snapshot alive.
    pub fn hand_on(mut self) -> Result<(), Self> {
        if self.opened.elapsed() >= AGE {
            return Err(self);
        }
        let lender = self.lender.clone();
        self.reading = true;
        loop {
            let Some(first) = lender.waiting().pop_front() else { break };
            match first.send(self) {
                Ok(()) => return Ok(()),
                Err(gone) => self = gone,
            }
        }
        self.reading = false;
        Err(self)
    }

    /// Keeps it for the next borrower. It must not be inside a transaction.
    pub fn give_back(self) {
        let Self { conn, opened, lender, turn, .. } = self;
        if opened.elapsed() < AGE {
            lender.idle().push(Kept { conn, opened, since: Instant::now() });
        }
        drop(turn);
    }
}
