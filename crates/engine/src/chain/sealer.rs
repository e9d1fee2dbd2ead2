//! Appends rows to the chains, beside the requests: no write waits for it.
//!
//! Any number of processes may do this. A row is sealed once: who comes second finds that the chain ends elsewhere,
//! and leaves its rows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use toolcrib_model::{Clock, Cursor, Id, Ts};
use toolcrib_store::{
    Db, StoreError, Tx,
    audit::chain::{self, Appended, Checkpoint, Head, Sealing, Waiting},
};

use super::{
    OVERDUE_SECONDS, PAGE,
    key::{AuditKey, TrustedKeys},
};

/// At most this many rows are sealed by one commit: about three milliseconds of SQLite's writer.
const BATCH: i64 = 500;
/// At most this many workspaces share it: each costs a look at where its chain ends.
const WORKSPACES: usize = 50;
/// How old rows may be that the frequent look finds.
const RECENT_SECONDS: i64 = 15;

/// Which rows are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Those behind the newest that has its place: cheap enough for every second.
    New,
    /// Those of the last seconds, so that what committed a little late is found soon.
    Recent,
    /// All, which finds what committed late, or while nobody sealed.
    All,
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
}

impl Sealer {
    /// Over a database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, key: Arc<AuditKey>, trusted: TrustedKeys) -> Self {
        Self { db, clock, key, trusted, seen: Mutex::default() }
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
        let now = self.clock.now();
        let since = match depth {
            Depth::New | Depth::Recent => now.plus_seconds(-RECENT_SECONDS),
            Depth::All => Ts::from_micros(i64::MIN),
        };
        let waiting = chain::waiting(&self.db, since, depth != Depth::New).await?;
        let Some(oldest) = waiting.iter().map(|waiting| waiting.oldest).min() else {
            report(0);
            return Ok(Appended::default());
        };
        let sealed = self.seal_each(&waiting).await;
        // Rows of long ago are sealed late where nobody was there to do it; what counts is what stays unsealed.
        let age = now.micros_since(oldest) / 1_000_000;
        report(if sealed.is_err() && age > OVERDUE_SECONDS { age } else { 0 });
        sealed
    }

    async fn seal_each(&self, waiting: &[Waiting]) -> Result<Appended, StoreError> {
        let mut batch = Batch::default();
        let mut done = Appended::default();
        for &Waiting { workspace_id, oldest } in waiting {
            let mut after = Cursor { at: oldest, id: Id::nil() };
            loop {
                let room = BATCH - batch.rows;
                let (head, rows) = chain::unsealed(&self.db, workspace_id, after, room).await?;
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
        let done: Appended =
            self.db.work(move |tx| Box::pin(async move { chain::append(tx, &batch.sealings).await })).await?;
        metrics::counter!("toolcrib_audit_sealed_rows_total")
            .increment(u64::try_from(done.sealed).unwrap_or_default());
        Ok(done)
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
            let work =
                self.db.work(move |tx| Box::pin(async move { chain::insert_checkpoints(tx, &some).await }));
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

/// How old the oldest row is that should have been sealed and was not, in seconds; 0 where there is none.
fn report(seconds: i64) {
    let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    metrics::gauge!("toolcrib_audit_oldest_unsealed_seconds").set(seconds);
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
