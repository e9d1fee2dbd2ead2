//! The nearest indexed phrases, and how much they speak for their action.

use crate::vocabulary::FeatureVector;

/// How many of an action's phrases vote.
const VOTERS: usize = 5;
/// The weight of each further voter, as a share of the one before.
const FADE: f32 = 0.8;

/// Which phrases have a feature, and how much.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// For each feature: phrases with their weight of it.
    postings: Vec<Vec<(u32, f32)>>,
    /// Whose a phrase is.
    owners: Vec<usize>,
}

impl Neighbours {
    /// Indexes the vectors of phrases with their owners.
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

    /// For each owner in `open`, how near its nearest phrases are, 0 to 1. The phrases of others are passed over.
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
            if similarity > 0.0
                && let Some(top) = best.get_mut(*owner)
            {
                insert(top, similarity);
            }
        }
        best.iter().map(mean).collect()
    }
}

/// Puts a value in its place among the best, largest first.
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
