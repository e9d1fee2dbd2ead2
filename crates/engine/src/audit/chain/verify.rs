//! Verifies the hash chain of a workspace from its first link and reports every defect.
#![deny(missing_docs)]

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    StoreError, Tx,
    audit::{
        self, AuditEntry, AuditFilter,
        chain::{self, Checkpoint, Head, Link},
    },
};

use super::{DISORDER_SECONDS, GRACE_SECONDS, OVERDUE_SECONDS, PAGE, key::TrustedKeys};

/// Maximum number of defects in the result. All are counted.
const TOLD: usize = 20;

/// The parameters of a verification.
#[derive(Debug)]
pub struct VerifyRequest<'q> {
    /// The time of the request.
    pub now: Ts,
    /// Verify only the links after this number; 0 for all.
    pub after: i64,
    /// The keys whose checkpoints are accepted.
    pub keys: &'q TrustedKeys,
    /// Numbers and hashes of links from an earlier time, such as those of an export. The chain must still
    /// contain them.
    pub earlier: BTreeMap<i64, String>,
    /// The hash of an earlier head. Some link must still have it.
    pub head: Option<String>,
}

impl<'q> VerifyRequest<'q> {
    /// Verifies the whole chain, compared only with its own checkpoints.
    pub fn of(keys: &'q TrustedKeys) -> Self {
        Self { now: Ts::from_micros(0), after: 0, keys, earlier: BTreeMap::new(), head: None }
    }
}

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verification {
    /// Whether nothing was changed, removed, inserted, reordered or truncated.
    pub ok: bool,
    /// Rows in the log, sealed or not.
    pub rows: i64,
    /// Sealed rows.
    pub sealed: i64,
    /// Number in the chain of the first defect; null if there is none.
    pub first_bad_seq: Option<i64>,
    /// Checkpoints that were verified.
    pub checkpoints: i64,
    /// Last number that a signed checkpoint covers; 0 for none.
    pub signed_seq: i64,
    /// Hash of the last sealed row. A copy elsewhere shows later whether the chain was truncated.
    pub head_hash: String,
    /// Rows that are not sealed yet.
    pub unsealed: i64,
    /// Unsealed rows that are older than ten seconds: no process seals rows.
    pub overdue: i64,
    /// Rows that were sealed more than five minutes from their time, or after a row that is more than 150 seconds newer: no
    /// process sealed rows, a clock was changed, or the rows were backdated.
    pub late: i64,
    /// Time of the oldest late row; null if there is none.
    pub late_from: Option<Ts>,
    /// Time of the newest late row; null if there is none.
    pub late_to: Option<Ts>,
    /// Number of defects.
    pub defects: i64,
    /// The first 20 defects.
    pub problems: Vec<ChainDefect>,
}

/// A defect of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainDefect {
    /// Number in the chain.
    pub seq: i64,
    /// ID of the row; null if there is none.
    pub row_id: Option<Id>,
    /// What is wrong.
    pub problem: String,
}

/// Verifies the chain of the transaction's workspace.
pub async fn verify(tx: &mut Tx, request: &VerifyRequest<'_>) -> Result<Verification, StoreError> {
    let mut walk = ChainVerifier::begin(tx, request).await?;
    loop {
        let links = chain::links(tx, walk.at.seq, PAGE).await?;
        if links.is_empty() {
            break;
        }
        walk.page(tx, links).await?;
    }
    walk.earlier();
    walk.checkpoints(tx).await?;
    walk.rest(tx).await
}

/// The state of a running verification.
struct ChainVerifier<'q> {
    request: &'q VerifyRequest<'q>,
    at: Head,
    /// Hashes of verified links that are compared later: those of earlier exports and checkpoints.
    hashes: HashMap<i64, String>,
    /// The last number that was signed when the verification began. Newer checkpoints may cover links that
    /// were not read.
    signed_before: i64,
    head_found: bool,
    /// The result so far.
    found: Verification,
}

impl<'q> ChainVerifier<'q> {
    /// Begins at the first link, or after the link that the request names.
    async fn begin(tx: &mut Tx, request: &'q VerifyRequest<'q>) -> Result<Self, StoreError> {
        let given = chain::link(tx, request.after).await?;
        let reached = request.after == 0 || given.is_some();
        let signed_before = chain::last_checkpoint(tx).await?.map_or(0, |last| last.seq);
        let mut walk = Self {
            request,
            at: given.map_or_else(|| Head { seq: request.after, ..Head::start() }, |link| link.head()),
            hashes: HashMap::new(),
            signed_before,
            // The head of an empty chain also counts as found.
            head_found: request.head.as_ref().is_none_or(|head| *head == Head::start().hash),
            found: Verification { sealed: request.after, ..Verification::default() },
        };
        if !reached {
            walk.defect(request.after, None, "the chain does not reach this place");
        }
        Ok(walk)
    }

    fn defect(&mut self, seq: i64, row_id: Option<Id>, problem: impl Into<String>) {
        let found = &mut self.found;
        found.defects += 1;
        found.first_bad_seq = Some(found.first_bad_seq.map_or(seq, |first| first.min(seq)));
        if found.problems.len() < TOLD {
            found.problems.push(ChainDefect { seq, row_id, problem: problem.into() });
        }
    }

    /// Counts a row that was sealed late.
    fn late(&mut self, at: Ts) {
        let found = &mut self.found;
        found.late += 1;
        found.late_from = Some(found.late_from.map_or(at, |from| from.min(at)));
        found.late_to = Some(found.late_to.map_or(at, |to| to.max(at)));
    }

    /// Verifies one page of links together with their audit rows.
    async fn page(&mut self, tx: &mut Tx, links: Vec<Link>) -> Result<(), StoreError> {
        let from = links.first().map_or(0, |link| link.seq - 1);
        let rows = audit::chained_rows(tx, &AuditFilter::default(), from, PAGE).await?;
        let mut rows: HashMap<i64, AuditEntry> =
            rows.into_iter().filter_map(|row| Some((row.entry.seq?, row.entry))).collect();
        let signed = chain::checkpoints(tx, from, PAGE).await?;
        let wanted: HashSet<i64> = signed.iter().map(|checkpoint| checkpoint.seq).collect();
        for link in links {
            let row = rows.remove(&link.seq);
            self.link(&link, row.as_ref());
            if self.request.earlier.contains_key(&link.seq) || wanted.contains(&link.seq) {
                self.hashes.insert(link.seq, link.hash.clone());
            }
            self.at = link.head();
            self.found.sealed += 1;
        }
        Ok(())
    }

    fn link(&mut self, link: &Link, row: Option<&AuditEntry>) {
        let (seq, id) = (link.seq, Some(link.row_id));
        if seq != self.at.seq + 1 {
            self.defect(self.at.seq + 1, None, format!("places are missing before {seq}"));
        } else if link.prev_hash != self.at.hash {
            self.defect(seq, id, "it does not follow the place before it");
        }
        if link.hash != link.digest() {
            self.defect(seq, id, "the place was changed");
        }
        self.head_found |= self.request.head.as_ref() == Some(&link.hash);
        let Some(row) = row else {
            return self.defect(seq, id, "the row was removed");
        };
        if audit::row_hash(row) != link.row_hash {
            self.defect(seq, id, "the row was changed");
        }
        let from_sealing = link.sealed_at.micros_since(row.occurred_at).abs();
        let before_newest = self.at.newest.micros_since(row.occurred_at);
        if from_sealing > GRACE_SECONDS * 1_000_000 || before_newest > DISORDER_SECONDS * 1_000_000 {
            self.late(row.occurred_at);
        }
        if link.newest != self.at.newest.max(row.occurred_at) {
            self.defect(seq, id, "the latest time is not that of the rows up to here");
        }
    }

    /// Reports the earlier links that are missing or changed.
    fn earlier(&mut self) {
        let request = self.request;
        for (&seq, hash) in request.earlier.range(request.after + 1..) {
            match self.hashes.get(&seq) {
                Some(now) if now == hash => {}
                Some(_) => self.defect(seq, None, "it is not what it was in the earlier export"),
                None => self.defect(seq, None, "it was there in the earlier export"),
            }
        }
        if !self.head_found {
            let text =
                "no place has the hash of the head that was given: what led to it was cut off or changed";
            self.defect(self.at.seq + 1, None, text);
        }
    }

    async fn checkpoints(&mut self, tx: &mut Tx) -> Result<(), StoreError> {
        let (mut after, before) = (self.request.after, self.signed_before);
        loop {
            let found = chain::checkpoints(tx, after, PAGE).await?;
            let Some(last) = found.last() else { return Ok(()) };
            after = last.seq;
            for checkpoint in found.iter().filter(|found| found.seq <= before) {
                if !self.hashes.contains_key(&checkpoint.seq) && checkpoint.seq <= self.at.seq {
                    // The checkpoint was signed after the verification had passed its link.
                    let link = chain::link(tx, checkpoint.seq).await?;
                    self.hashes.extend(link.map(|link| (link.seq, link.hash)));
                }
                self.checkpoint(checkpoint);
            }
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let seq = checkpoint.seq;
        match (self.request.keys.objection(checkpoint), self.hashes.get(&seq)) {
            (Some(wrong), _) => self.defect(seq, None, wrong),
            (None, None) => {
                let text = format!("the chain was signed up to place {seq}, which is gone");
                self.defect((self.at.seq + 1).min(seq), None, text);
            }
            (None, Some(hash)) if *hash != checkpoint.hash => {
                self.defect(seq, None, "its hash is not the one that was signed");
            }
            (None, Some(_)) => {
                self.found.checkpoints += 1;
                self.found.signed_seq = seq;
            }
        }
    }

    /// Counts the rows that are not sealed, and returns the result.
    async fn rest(self, tx: &mut Tx) -> Result<Verification, StoreError> {
        let overdue = self.request.now.plus_seconds(-OVERDUE_SECONDS);
        let counts = chain::count_unsealed(tx, overdue).await?;
        Ok(Verification {
            ok: self.found.defects == 0,
            rows: counts.rows,
            head_hash: self.at.hash,
            unsealed: counts.unsealed,
            overdue: counts.overdue,
            ..self.found
        })
    }
}

#[cfg(test)]
mod tests;
