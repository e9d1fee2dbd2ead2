//! Scores actions by the similarity of their nearest phrases.

use crate::vocabulary::FeatureVector;

/// The number of nearest phrases of an action that count.
const VOTERS: usize = 5;
/// The weight of each further phrase, relative to the one before.
const FADE: f32 = 0.8;

/// An inverted index from features to phrases, in flat arrays.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// For each feature, the end of its range in `entries`. The range starts at the end of the one before.
    ends: Box<[u32]>,
    /// The phrases that have a feature, and its weight in each.
    entries: Box<[(u32, f32)]>,
    /// For each phrase, the index of its owner: a document, or the class "no action".
    owners: Vec<usize>,
}

impl Neighbours {
    /// Indexes the vectors of phrases and their owners.
    pub(crate) fn new(features: usize, vectors: &[FeatureVector], owners: Vec<usize>) -> Self {
        let mut ends = vec![0; features];
        for (feature, _) in vectors.iter().flatten() {
            if let Some(count) = ends.get_mut(*feature as usize) {
                *count += 1;
            }
        }
        // Each feature's number of phrases becomes the start of its range, which then moves to its end.
        let mut all = 0;
        for end in &mut ends {
            (*end, all) = (all, all + *end);
        }
        let mut entries = vec![(0, 0.0); all as usize].into_boxed_slice();
        for (phrase, vector) in (0u32..).zip(vectors) {
            for (feature, weight) in vector {
                if let Some(end) = ends.get_mut(*feature as usize)
                    && let Some(entry) = entries.get_mut(*end as usize)
                {
                    (*entry, *end) = ((phrase, *weight), *end + 1);
                }
            }
        }
        Self { ends: ends.into(), entries, owners }
    }

    /// Returns the phrases that have a feature, in their order, and its weight in each.
    fn phrases(&self, feature: u32) -> &[(u32, f32)] {
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let at = feature as usize;
        self.entries.get(at.checked_sub(1).map_or(0, end)..end(at)).unwrap_or_default()
    }

    /// Returns for each owner the weighted mean similarity of its nearest phrases, from 0 to 1. Skips owners
    /// for which `open` is false.
    pub(crate) fn votes(&self, query: &FeatureVector, open: &[bool]) -> Vec<f32> {
        let counts: Vec<bool> =
            self.owners.iter().map(|owner| open.get(*owner).copied().unwrap_or(false)).collect();
        let mut near = vec![0.0f32; self.owners.len()];
        for (feature, weight) in query {
            for (phrase, of_phrase) in self.phrases(*feature) {
                let at = *phrase as usize;
                if counts.get(at) == Some(&true)
                    && let Some(sum) = near.get_mut(at)
                {
                    *sum += weight * of_phrase;
                }
            }
        }
        let mut best = vec![[0.0f32; VOTERS]; open.len()];
        for (owner, similarity) in self.owners.iter().zip(near) {
            if let Some(top) = best.get_mut(*owner)
                && top.last().is_some_and(|least| similarity > *least)
            {
                insert(top, similarity);
            }
        }
        best.iter().map(mean).collect()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.entries) + size_of_val(&*self.owners)
    }
}

/// Inserts a value into the list of the largest values, in descending order.
fn insert(top: &mut [f32; VOTERS], mut value: f32) {
    for slot in top {
        if value > *slot {
            std::mem::swap(slot, &mut value);
        }
    }
}

fn mean(top: &[f32; VOTERS]) -> f32 {
    let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
    for value in top {
        sum += weight * value;
        weights += weight;
        weight *= FADE;
    }
    sum / weights
}
