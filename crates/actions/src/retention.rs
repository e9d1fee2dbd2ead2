//! Deletes events, notifications and finished deliveries when they are older than a number of days, and
//! sessions of the console, one-time codes, invitations and idempotency keys when they have ended.

use std::sync::Arc;

use toolcrib_model::{Clock, Ts};
use toolcrib_store::{
    Db, StoreError, WORKER_LIMIT, WriteTx, idempotency, invitations, retention, sessions, within,
};

/// How long an invitation that expired stays in the list, in days.
const INVITATION_DAYS: i64 = 30;

/// Deletes old rows.
pub struct Retention {
    db: Db,
    clock: Arc<dyn Clock>,
    days: i64,
}

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
            self.all(old, retention::events).await,
            self.all(old, retention::notifications).await,
            self.all(old, retention::deliveries).await,
            self.all(ended, sessions::delete_ended).await,
            self.all(now, idempotency::delete_expired).await,
            self.all(now.plus_days(-INVITATION_DAYS), invitations::delete_ended).await,
        ];
        removed.into_iter().sum()
    }

    /// Deletes all old rows of one kind in small transactions, so that other transactions do not wait long. `remove`
    /// deletes some rows and returns their number.
    async fn all(
        &self,
        before: Ts,
        remove: impl AsyncFn(&mut WriteTx, Ts) -> Result<u64, StoreError>,
    ) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut tx = self.db.begin_write_as_worker().await?;
            let some = within(WORKER_LIMIT, remove(&mut tx, before)).await?;
            match tx.end(some).await? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }
}
