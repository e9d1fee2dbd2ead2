//! Scores actions by the similarity of their nearest phrases.

use crate::vocabulary::FeatureVector;

/// The number of nearest phrases of an action that count.
const VOTERS: usize = 5;
/// The weight of each further phrase, relative to the one before.
const FADE: f32 = 0.8;

/// An inverted index from features to phrases.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// For each feature, the phrases that have it and its weight in each.
    postings: Vec<Vec<(u32, f32)>>,
    /// For each phrase, the index of its owner: a document, or the class "no action".
    owners: Vec<usize>,
}

impl Neighbours {
    /// Indexes the vectors of phrases and their owners.
    pub(crate) fn new(features: usize, vectors: &[FeatureVector], owners: Vec<usize>) -> Self {
        let mut postings = vec![Vec::new(); features];
        for (phrase, vector) in (0u32..).zip(vectors) {
            for (feature, weight) in vector {
                if let Some(posting) = postings.get_mut(*feature as usize) {
                    posting.push((phrase, *weight));
                }
            }
        }
        Self { postings, owners }
    }

    /// Returns for each owner the weighted mean similarity of its nearest phrases, from 0 to 1. Skips owners
    /// for which `open` is false.
    pub(crate) fn votes(&self, query: &FeatureVector, open: &[bool]) -> Vec<f32> {
        let counts: Vec<bool> =
            self.owners.iter().map(|owner| open.get(*owner).copied().unwrap_or(false)).collect();
        let mut near = vec![0.0f32; self.owners.len()];
        for (feature, weight) in query {
            for (phrase, of_phrase) in self.postings.get(*feature as usize).into_iter().flatten() {
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
