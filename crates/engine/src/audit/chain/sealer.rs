//! Appends rows to the chains, beside the requests: no write waits for it.
//!
//! Rows get their places in the order in which they are found, whatever their times say: a clock that is set leaves none
//! out. Any number of processes may do this. A row is sealed once: who comes second finds that the chain ends elsewhere,
//! and leaves its rows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use toolcrib_model::{Clock, Cursor, Id, Ts};
use toolcrib_store::{
    Db, StoreError, Tx,
    audit::chain::{self, Appended, Checkpoint, Head, Sealing, UnsealedWorkspace, Window},
};

use super::{
    GRACE_SECONDS, OVERDUE_SECONDS, PAGE,
    key::{AuditKey, TrustedKeys},
};

/// At most this many rows are sealed by one commit: about three milliseconds of SQLite's writer.
const BATCH: i64 = 500;
/// At most this many workspaces share it: each costs a look at where its chain ends.
const WORKSPACES: usize = 50;
/// How far from now the times may be of rows that the frequent look finds.
const RECENT_SECONDS: i64 = 15;

/// Between two looks at everything.
const ALL_EVERY: Duration = Duration::from_hours(1);
/// How long a call may still commit that began before the clock was set; and when everything is looked at again where
/// rows could not be sealed.
const AFTER_JUMP: Duration = Duration::from_mins(1);
/// The clock may gain or lose as much between two looks without having been set.
const JUMP_MICROS: u64 = 2_000_000;
/// See [`OVERDUE_SECONDS`].
const OVERDUE: Duration = Duration::from_secs(OVERDUE_SECONDS.unsigned_abs());

/// Which rows are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Those behind the newest that has its place: cheap enough for every second.
    New,
    /// Those of these seconds, so that what committed a little late, or after the clock was put back, is found soon.
    Recent,
    /// Those of the last minutes, so that what committed late is found.
    Late,
    /// All, which finds what has any other time. Every so often, and after a clock was set, a look becomes this one.
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

/// What a round of signing came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signed {
    /// How many checkpoints were made.
    pub made: usize,
    /// The checkpoints themselves.
    pub checkpoints: Vec<Checkpoint>,
    /// Workspaces whose chain does not go on from where it is known to have been: they get none.
    pub broken: Vec<Id>,
}

/// Seals rows and signs checkpoints.
pub struct Sealer {
    db: Db,
    clock: Arc<dyn Clock>,
    key: Arc<AuditKey>,
    trusted: TrustedKeys,
    /// How far each chain was when this process last signed it: what it saw with its own eyes.
    seen: Mutex<HashMap<Id, Head>>,
    watch: Mutex<Watch>,
}

impl Sealer {
    /// Over a database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, key: Arc<AuditKey>, trusted: TrustedKeys) -> Self {
        Self { db, clock, key, trusted, seen: Mutex::default(), watch: Mutex::default() }
    }

    /// Seals what waits, and returns how many rows that were.
    pub async fn seal(&self, depth: Depth) -> Result<usize, StoreError> {
        Ok(self.round(depth).await?.sealed)
    }

    /// Seals until nothing waits, whoever else does the same: for commands.
    pub async fn settle(&self) -> Result<(), StoreError> {
        // What was left to somebody else may have been only the first of what they seal.
        while self.round(Depth::All).await? != Appended::default() {}
        Ok(())
    }

    async fn round(&self, depth: Depth) -> Result<Appended, StoreError> {
        let (now, passed) = (self.clock.now(), self.clock.monotonic());
        let depth = self.watch().depth(depth, now, passed);
        let mut sealed = self.look(depth.window(now)).await;
        if depth == Depth::Recent
            && let Ok(recent) = sealed
        {
            // A chain that was idle for longer, or whose newest row is of another time.
            sealed = self.look(Window::BEHIND).await.map(|new| recent + new);
        }
        let waited = self.watch().waited(sealed.is_err(), passed);
        let waited = u32::try_from(waited.as_secs()).unwrap_or(u32::MAX);
        metrics::gauge!("toolcrib_audit_oldest_unsealed_seconds").set(waited);
        sealed
    }

    async fn look(&self, window: Window) -> Result<Appended, StoreError> {
        let waiting = chain::waiting(&self.db, &window).await?;
        self.seal_each(&waiting, window.until).await
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
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
        let sealings = Arc::new(batch.sealings);
        let done = match self.commit(&sealings).await {
            // One workspace's refused places keep no other's rows waiting.
            Err(_) if sealings.len() > 1 => self.append_each(&sealings).await?,
            done => done?,
        };
        metrics::counter!("toolcrib_audit_sealed_rows_total")
            .increment(u64::try_from(done.sealed).unwrap_or_default());
        Ok(done)
    }

    async fn commit(&self, sealings: &Arc<Vec<Sealing>>) -> Result<Appended, StoreError> {
        let sealings = Arc::clone(sealings);
        self.db.write_as_worker(move |tx| Box::pin(async move { chain::append(tx, &sealings).await })).await
    }

    async fn append_each(&self, sealings: &[Sealing]) -> Result<Appended, StoreError> {
        let (mut done, mut refused) = (Appended::default(), None);
        for sealing in sealings {
            match self.commit(&Arc::new(vec![sealing.clone()])).await {
                Ok(more) => done += more,
                Err(fault) => refused = Some(fault),
            }
        }
        // Told where nothing else is: what is left is tried again, and waits the longer for it.
        refused.map_or(Ok(done), Err)
    }

    /// Signs how far each chain reached, where it goes on behind its last checkpoint.
    pub async fn sign(&self) -> Result<Signed, StoreError> {
        let mut signed = Signed::default();
        let mut rows: Vec<Checkpoint> = Vec::new();
        for workspace in chain::uncovered(&self.db).await? {
            let mut tx = self.db.read(workspace).await?;
            let head = self.follow(&mut tx, workspace).await?;
            tx.end().await?;
            match head {
                Some(head) => {
                    rows.push(self.key.sign(workspace, &head, self.clock.now()));
                    self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace, head);
                }
                None => signed.broken.push(workspace),
            }
        }
        for some in rows.chunks(100).map(<[Checkpoint]>::to_vec) {
            let work = self.db.write_as_worker(move |tx| {
                Box::pin(async move { chain::insert_checkpoints(tx, &some).await })
            });
            work.await?;
        }
        let broken = u32::try_from(signed.broken.len()).unwrap_or(u32::MAX);
        metrics::gauge!("toolcrib_audit_broken_chains").set(broken);
        (signed.made, signed.checkpoints) = (rows.len(), rows);
        Ok(signed)
    }

    /// Where the chain ends, when it leads there from where it is known to have been: nobody gets a signature for a
    /// chain that was made anew behind our back.
    async fn follow(&self, tx: &mut Tx, workspace: Id) -> Result<Option<Head>, StoreError> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&workspace).cloned();
        let mut at = match (seen, chain::last_checkpoint(tx).await?) {
            (Some(seen), _) => seen,
            (None, None) => Head::start(),
            (None, Some(last)) if self.trusted.objection(&last).is_some() => return Ok(None),
            // The time is not signed on its own: the links are hashed with it.
            (None, Some(last)) => Head { seq: last.seq, hash: last.hash, newest: Ts::from_micros(i64::MIN) },
        };
        let begun = at.seq;
        loop {
            let links = chain::links(tx, at.seq, PAGE).await?;
            for link in &links {
                if !at.leads_to(link) || link.hash != link.digest() {
                    return Ok(None);
                }
                at = link.head();
            }
            if links.is_empty() {
                let stays = at.seq > begun || stands(tx, &at).await?;
                return Ok(stays.then_some(at));
            }
        }
    }
}

/// Whether the chain still has this place. It may go on behind it: on PostgreSQL each statement sees what others have
/// committed meanwhile.
async fn stands(tx: &mut Tx, at: &Head) -> Result<bool, StoreError> {
    Ok(at.seq == 0 || chain::link(tx, at.seq).await?.is_some_and(|link| link.hash == at.hash))
}

/// What tells when everything must be looked at, and since when rows wait.
#[derive(Default)]
struct Watch {
    /// Clock and passed time at the last look.
    last: Option<(Ts, Duration)>,
    /// When everything is looked at again.
    all_at: Duration,
    /// Since when rows can't be sealed.
    failing: Option<Duration>,
}

impl Watch {
    /// What was asked, or [`Depth::All`] where that is due.
    fn depth(&mut self, asked: Depth, now: Ts, passed: Duration) -> Depth {
        let jumped = self.last.replace((now, passed)).is_some_and(|(before, then)| {
            let by_clock = now.micros_since(before);
            let really = i64::try_from(passed.saturating_sub(then).as_micros()).unwrap_or(i64::MAX);
            by_clock.abs_diff(really) > JUMP_MICROS
        });
        if jumped {
            tracing::warn!("the clock was set: all rows of the audit log are looked at");
            // And once more when every call that began before has ended.
            self.all_at = passed + AFTER_JUMP;
            return Depth::All;
        }
        if asked == Depth::All || passed >= self.all_at {
            self.all_at = passed + ALL_EVERY;
            return Depth::All;
        }
        asked
    }

    /// How long rows have waited that could not be sealed, as far as that is too long.
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

#[cfg(test)]
mod tests;
