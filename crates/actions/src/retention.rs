//! Removes what is kept for a while only: events, notifications, and deliveries that are over.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolcrib_model::{Clock, Ts};
use toolcrib_store::{Db, StoreError, WriteTx, retention};

/// Removes what is old.
pub struct Retention {
    db: Db,
    clock: Arc<dyn Clock>,
    days: i64,
}

/// Removes some rows of one kind; how many.
type Remove = for<'t> fn(&'t mut WriteTx, Ts) -> BoxFuture<'t, Result<u64, StoreError>>;

impl Retention {
    /// Over a database; what is older than `days` goes.
    pub fn new(db: Db, clock: Arc<dyn Clock>, days: u32) -> Self {
        Self { db, clock, days: days.into() }
    }

    /// Removes what is old now; how many rows that were.
    pub async fn run(&self) -> Result<u64, StoreError> {
        let removed = [
            self.all(|tx, before| Box::pin(retention::events(tx, before))).await,
            self.all(|tx, before| Box::pin(retention::notifications(tx, before))).await,
            self.all(|tx, before| Box::pin(retention::deliveries(tx, before))).await,
        ];
        removed.into_iter().sum()
    }

    /// In small transactions, so that nobody waits for long.
    async fn all(&self, remove: Remove) -> Result<u64, StoreError> {
        let before = self.clock.now().plus_days(-self.days);
        let mut removed = 0;
        loop {
            match self.db.write_as_worker(move |tx| remove(tx, before)).await? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }
}
