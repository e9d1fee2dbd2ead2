//! Deletes events, notifications and finished deliveries when they are older than a number of days.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolcrib_model::{Clock, Ts};
use toolcrib_store::{Db, StoreError, WriteTx, retention};

/// Deletes old rows.
pub struct Retention {
    db: Db,
    clock: Arc<dyn Clock>,
    days: i64,
}

/// Deletes some rows of one kind and returns their number.
type Remove = for<'t> fn(&'t mut WriteTx, Ts) -> BoxFuture<'t, Result<u64, StoreError>>;

impl Retention {
    /// Creates a worker that deletes rows older than `days`.
    pub fn new(db: Db, clock: Arc<dyn Clock>, days: u32) -> Self {
        Self { db, clock, days: days.into() }
    }

    /// Deletes all rows that are old now and returns their number.
    pub async fn run(&self) -> Result<u64, StoreError> {
        let removed = [
            self.all(|tx, before| Box::pin(retention::events(tx, before))).await,
            self.all(|tx, before| Box::pin(retention::notifications(tx, before))).await,
            self.all(|tx, before| Box::pin(retention::deliveries(tx, before))).await,
        ];
        removed.into_iter().sum()
    }

    /// Deletes all old rows of one kind in small transactions, so that other transactions do not wait long.
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
