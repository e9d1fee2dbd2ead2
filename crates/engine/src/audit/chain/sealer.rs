//! Appends audit rows to the chains in the background, and signs how far each reached. No request waits for
//! it.
//!
//! Rows are sealed in the order in which they are found, whatever their times are, so that a clock change
//! leaves no row out. Any number of processes may run a sealer. A row is sealed once: if another process has
//! appended to a chain meanwhile, its end has changed, and the commit skips the chain's rows.

mod sealed_buckets;
mod sign;

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use toolcrib_model::{Clock, Cursor, Id, Ts};
use toolcrib_store::{
    Db, StoreError, WORKER_LIMIT,
    audit::chain::{self, Appended, Head, Sealing, UnsealedWorkspace, Window},
    within,
};

pub use sign::Signed;

use self::sealed_buckets::SealedBuckets;
use super::{
    GRACE_SECONDS, OVERDUE_SECONDS,
    key::{AuditKey, TrustedKeys},
};

/// Maximum number of rows in one commit, which takes SQLite's writer about three milliseconds.
const BATCH: i64 = 500;
/// Maximum number of workspaces in one commit. Each costs a read of the end of its chain.
const WORKSPACES: usize = 50;
/// Maximum distance from now, in seconds, of the rows that [`Depth::Recent`] searches.
const RECENT_SECONDS: i64 = 15;

/// Interval between two searches of all rows.
const ALL_EVERY: Duration = Duration::from_hours(1);
/// How long after a clock change a call that began before it may still commit. Also the delay until all rows
/// are searched again after rows could not be sealed.
const AFTER_JUMP: Duration = Duration::from_mins(1);
/// Microseconds by which clock and monotonic time may diverge between two runs without counting as a clock
/// change.
const JUMP_MICROS: u64 = 2_000_000;
const OVERDUE: Duration = Duration::from_secs(OVERDUE_SECONDS.unsigned_abs());

/// Which rows are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Rows at least as new as the newest sealed row. Cheap enough to run every second.
    New,
    /// Rows of the last and next seconds (`RECENT_SECONDS`), which finds rows that commit a little late or
    /// after the clock was put back.
    Recent,
    /// Rows of the last minutes (`GRACE_SECONDS`), which finds rows that commit late.
    Late,
    /// All rows, which finds rows with any other time. Replaces another depth at regular intervals and after
    /// a clock change.
    All,
}

impl Depth {
    fn window(self, now: Ts) -> Window {
        let grace = GRACE_SECONDS * 1_000_000;
        match self {
            Self::New => Window::BEHIND,
            Self::Recent => Window {
                since: now.plus_seconds(-RECENT_SECONDS),
                newest_until: now,
                grace,
                until: now.plus_seconds(RECENT_SECONDS),
            },
            Self::Late => Window { newest_until: now, grace, ..Window::BEHIND },
            Self::All => Window::ALL,
        }
    }
}

/// Seals rows and signs checkpoints.
pub struct Sealer {
    db: Db,
    clock: Arc<dyn Clock>,
    key: Arc<AuditKey>,
    trusted: TrustedKeys,
    /// The head of each chain when this process last signed it. Trusted more than the database's checkpoints,
    /// because nobody else can change it.
    seen: Mutex<HashMap<Id, Head>>,
    watch: Mutex<Watch>,
    sealed_buckets: Mutex<SealedBuckets>,
}

impl Sealer {
    /// Makes a sealer for a database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, key: Arc<AuditKey>, trusted: TrustedKeys) -> Self {
        Self {
            db,
            clock,
            key,
            trusted,
            seen: Mutex::default(),
            watch: Mutex::default(),
            sealed_buckets: Mutex::default(),
        }
    }

    /// Seals the rows that are found and returns their number.
    pub async fn seal(&self, depth: Depth) -> Result<usize, StoreError> {
        Ok(self.round(depth).await?.sealed)
    }

    /// Seals until no rows are left, even if other processes seal at the same time. For commands.
    pub async fn seal_all(&self) -> Result<(), StoreError> {
        // Rows that were left to another process may be only the first of those that it seals, so search
        // again.
        while self.round(Depth::All).await? != Appended::default() {}
        Ok(())
    }

    async fn round(&self, depth: Depth) -> Result<Appended, StoreError> {
        let (now, passed) = (self.clock.now(), self.clock.monotonic());
        let depth = self.watch.lock().depth(depth, now, passed);
        let mut sealed = match depth {
            Depth::New | Depth::All => self.seal_window(depth.window(now)).await,
            Depth::Recent | Depth::Late => self.seal_counted(depth, depth.window(now)).await,
        };
        if depth == Depth::Recent
            && let Ok(recent) = sealed
        {
            // Finds the rows of a chain whose newest sealed row is outside the recent seconds.
            sealed = self.seal_window(Window::BEHIND).await.map(|new| recent + new);
        }
        let waited = self.watch.lock().waited(sealed.is_err(), passed);
        let waited = u32::try_from(waited.as_secs()).unwrap_or(u32::MAX);
        metrics::gauge!("toolcrib_audit_oldest_unsealed_seconds").set(waited);
        sealed
    }

    async fn seal_window(&self, window: Window) -> Result<Appended, StoreError> {
        let waiting = chain::waiting(&self.db, &window).await?;
        self.seal_each(&waiting, window.until).await
    }

    /// As [`Sealer::seal_window`], but looks up only the rows of buckets whose counts have changed.
    async fn seal_counted(&self, depth: Depth, window: Window) -> Result<Appended, StoreError> {
        let counts = chain::counts(&self.db, &window).await?;
        let changed = self.sealed_buckets.lock().changed(&counts, depth == Depth::Late);
        let looked_up = chain::look_up(&self.db, &changed).await?;
        let waiting = self.sealed_buckets.lock().add(looked_up);
        self.seal_each(&waiting, window.until).await
    }

    async fn seal_each(&self, waiting: &[UnsealedWorkspace], until: Ts) -> Result<Appended, StoreError> {
        let mut batch = Batch::default();
        let mut done = Appended::default();
        for &UnsealedWorkspace { workspace_id, oldest } in waiting {
            let mut after = Cursor { at: oldest, id: Id::nil() };
            loop {
                let room = BATCH - batch.rows;
                let (head, rows) = chain::unsealed(&self.db, workspace_id, after, until, room).await?;
                let Some(last) = rows.last() else { break };
                let taken = i64::try_from(rows.len()).unwrap_or(BATCH);
                after = Cursor { at: last.occurred_at, id: last.id };
                batch.push(Sealing::of(workspace_id, head, &rows, self.clock.now()));
                if taken == room || batch.sealings.len() == WORKSPACES {
                    done += self.append(std::mem::take(&mut batch)).await?;
                }
                if taken < room {
                    break;
                }
            }
        }
        done += self.append(batch).await?;
        Ok(done)
    }

    async fn append(&self, batch: Batch) -> Result<Appended, StoreError> {
        if batch.rows == 0 {
            return Ok(Appended::default());
        }
        let sealings = &batch.sealings;
        let done = match self.commit(sealings).await {
            // The refused links of one workspace must not delay the rows of the others.
            Err(_) if sealings.len() > 1 => self.append_each(sealings).await?,
            done => done?,
        };
        metrics::counter!("toolcrib_audit_sealed_rows_total")
            .increment(u64::try_from(done.sealed).unwrap_or_default());
        Ok(done)
    }

    async fn commit(&self, sealings: &[Sealing]) -> Result<Appended, StoreError> {
        let mut tx = self.db.begin_write_as_worker().await?;
        let appended = within(WORKER_LIMIT, chain::append(&mut tx, sealings)).await?;
        tx.end(appended).await
    }

    async fn append_each(&self, sealings: &[Sealing]) -> Result<Appended, StoreError> {
        let (mut done, mut refused) = (Appended::default(), None);
        for sealing in sealings {
            match self.commit(std::slice::from_ref(sealing)).await {
                Ok(more) => done += more,
                Err(error) => refused = Some(error),
            }
        }
        // Only a total failure is an error. The refused rows are retried in the next run.
        refused.map_or(Ok(done), Err)
    }
}

/// Decides when all rows must be searched, and measures how long rows could not be sealed.
#[derive(Default)]
struct Watch {
    /// Clock and monotonic time of the last run.
    last: Option<(Ts, Duration)>,
    /// The monotonic time of the next search of all rows.
    all_at: Duration,
    /// Since when rows can't be sealed.
    failing: Option<Duration>,
}

impl Watch {
    /// Returns the requested depth, or [`Depth::All`] if a search of all rows is due.
    fn depth(&mut self, requested: Depth, now: Ts, passed: Duration) -> Depth {
        let jumped = self.last.replace((now, passed)).is_some_and(|(before, then)| {
            let by_clock = now.micros_since(before);
            let really = i64::try_from(passed.saturating_sub(then).as_micros()).unwrap_or(i64::MAX);
            by_clock.abs_diff(really) > JUMP_MICROS
        });
        if jumped {
            tracing::warn!("the clock was set: all rows of the audit log are looked at");
            // Search all rows again when every call that began before the change has ended.
            self.all_at = passed + AFTER_JUMP;
            return Depth::All;
        }
        if requested == Depth::All || passed >= self.all_at {
            self.all_at = passed + ALL_EVERY;
            return Depth::All;
        }
        requested
    }

    /// Returns how long rows could not be sealed, or zero up to [`OVERDUE`].
    fn waited(&mut self, failed: bool, passed: Duration) -> Duration {
        if failed {
            self.failing.get_or_insert(passed);
            self.all_at = self.all_at.min(passed + AFTER_JUMP);
        } else {
            self.failing = None;
        }
        let waited = self.failing.map_or(Duration::ZERO, |since| passed.saturating_sub(since));
        if waited > OVERDUE { waited } else { Duration::ZERO }
    }
}

#[derive(Default)]
struct Batch {
    sealings: Vec<Sealing>,
    rows: i64,
}

impl Batch {
    fn push(&mut self, sealing: Sealing) {
        if !sealing.is_empty() {
            self.rows += i64::try_from(sealing.len()).unwrap_or(BATCH);
            self.sealings.push(sealing);
        }
    }
}
