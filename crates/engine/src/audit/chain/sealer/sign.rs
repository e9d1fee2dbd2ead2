//! Signs checkpoints: how far each chain reached.

use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    StoreError, Tx,
    audit::chain::{self, Checkpoint, Head},
};

use super::{super::PAGE, Sealer};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signed {
    /// The number of new checkpoints.
    pub made: usize,
    pub checkpoints: Vec<Checkpoint>,
    /// Workspaces whose chain does not continue from its last known head. They get no checkpoint.
    pub broken: Vec<Id>,
}

impl Sealer {
    /// Signs a checkpoint for each chain that has grown since its last one.
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
                    self.seen.lock().insert(workspace, head);
                }
                None => signed.broken.push(workspace),
            }
        }
        for some in rows.chunks(100) {
            let mut tx = self.db.begin_write_as_worker().await?;
            chain::insert_checkpoints(&mut tx, some).await?;
            tx.commit().await?;
        }
        let broken = u32::try_from(signed.broken.len()).unwrap_or(u32::MAX);
        metrics::gauge!("toolcrib_audit_broken_chains").set(broken);
        (signed.made, signed.checkpoints) = (rows.len(), rows);
        Ok(signed)
    }

    /// Returns the head of the chain, if the chain continues from its last known head. A chain that was
    /// rewritten in the database gets no signature.
    async fn follow(&self, tx: &mut Tx, workspace: Id) -> Result<Option<Head>, StoreError> {
        let seen = self.seen.lock().get(&workspace).cloned();
        let mut at = match (seen, chain::last_checkpoint(tx).await?) {
            (Some(seen), _) => seen,
            (None, None) => Head::start(),
            (None, Some(last)) if self.trusted.objection(&last).is_some() => return Ok(None),
            // The signature does not cover the head's time. The hashes of the links do.
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
                let stays = at.seq > begun || still_in_chain(tx, &at).await?;
                return Ok(stays.then_some(at));
            }
        }
    }
}

/// Returns whether the chain still contains this link. Other links may follow it, because on PostgreSQL each
/// statement reads what others have committed meanwhile.
async fn still_in_chain(tx: &mut Tx, at: &Head) -> Result<bool, StoreError> {
    Ok(at.seq == 0 || chain::link(tx, at.seq).await?.is_some_and(|link| link.hash == at.hash))
}

#[cfg(test)]
mod tests;
