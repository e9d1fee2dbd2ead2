//! Deletes events, notifications and finished deliveries when they are older than a number of days, and
//! sessions of the console and one-time codes when they have ended.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolcrib_model::{Clock, Ts};
use toolcrib_store::{Db, StoreError, WriteTx, retention, sessions};

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
        let now = self.clock.now();
        let old = now.plus_days(-self.days);
        // A verifier accepts a code for some seconds after its expiry, because clocks differ.
        let ended = now.plus_seconds(-3_600);
        let removed = [
            self.all(old, |tx, before| Box::pin(retention::events(tx, before))).await,
            self.all(old, |tx, before| Box::pin(retention::notifications(tx, before))).await,
            self.all(old, |tx, before| Box::pin(retention::deliveries(tx, before))).await,
            self.all(ended, |tx, before| Box::pin(sessions::delete_ended(tx, before))).await,
        ];
        removed.into_iter().sum()
    }

    /// Deletes all old rows of one kind in small transactions, so that other transactions do not wait long.
    async fn all(&self, before: Ts, remove: Remove) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            match self.db.write_as_worker(move |tx| remove(tx, before)).await? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }
}
