//! The buckets of time whose rows were all found sealed, so that the next run counts them instead of looking up each.

use std::collections::{BTreeMap, HashMap};

use toolcrib_model::Id;
use toolcrib_store::audit::chain::{BucketCount, LookedUp, UnsealedWorkspace};

/// The number of rows in each bucket when all of them were sealed, by workspace and the time at which the bucket
/// begins.
#[derive(Default)]
pub(super) struct SealedBuckets(HashMap<(Id, i64), i64>);

impl SealedBuckets {
    /// Returns the buckets that have other numbers of rows than when all were sealed. If the counts are of the whole
    /// window, buckets that have left it are forgotten.
    pub fn changed(&mut self, counts: &[BucketCount], whole_window: bool) -> Vec<BucketCount> {
        let (known, changed): (Vec<_>, Vec<_>) =
            counts.iter().partition(|count| self.0.get(&key(count)) == Some(&count.rows));
        if whole_window {
            self.0 = known.iter().map(|count| (key(count), count.rows)).collect();
        }
        changed
    }

    /// Adds the buckets whose rows are all sealed. Returns the workspaces of the other ones, each with its oldest row
    /// that is not.
    pub fn add(&mut self, looked_up: Vec<LookedUp>) -> Vec<UnsealedWorkspace> {
        let mut waiting: BTreeMap<Id, UnsealedWorkspace> = BTreeMap::new();
        for bucket in looked_up {
            let Some(unsealed) = bucket.unsealed() else {
                self.0.insert(key(&bucket.count), bucket.count.rows);
                continue;
            };
            let oldest = waiting.entry(unsealed.workspace_id).or_insert(unsealed);
            oldest.oldest = oldest.oldest.min(unsealed.oldest);
        }
        waiting.into_values().collect()
    }
}

fn key(count: &BucketCount) -> (Id, i64) {
    (count.workspace_id, count.begins)
}
