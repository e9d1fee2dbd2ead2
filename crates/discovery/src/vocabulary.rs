//! The features of the indexed texts with their rarity, and the conversion of texts to vectors.

use crate::features::{FeatureMap, Features, RARE_COUNTS};

/// A sparse vector of feature indexes and weights. Has the norm 1 unless empty.
pub(crate) type FeatureVector = Vec<(u32, f32)>;

/// The features of all indexed texts, each with its index and its rarity. Independent of the caller.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    known: FeatureMap<(u32, f32)>,
}

impl Vocabulary {
    #[expect(clippy::cast_precision_loss, reason = "counts of texts are far below 2^24")]
    pub(crate) fn new(texts: &[Features]) -> Self {
        let mut counts: FeatureMap<(usize, usize)> = FeatureMap::default();
        for (i, text) in texts.iter().enumerate() {
            for feature in text.kinds.iter().flatten() {
                let (count, last) = counts.entry(*feature).or_insert((0, usize::MAX));
                if *last != i {
                    (*count, *last) = (*count + 1, i);
                }
            }
        }
        let mut kept: Vec<(u64, usize)> = counts
            .into_iter()
            .filter(|(feature, (count, _))| *count > 1 || feature & RARE_COUNTS != 0)
            .map(|(feature, (count, _))| (feature, count))
            .collect();
        kept.sort_unstable();
        let all = texts.len() as f32;
        let known = kept
            .into_iter()
            .zip(0u32..)
            .map(|((feature, count), id)| (feature, (id, ((1.0 + all) / (1.0 + count as f32)).ln() + 1.0)))
            .collect();
        Self { known }
    }

    /// Returns the number of features.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns whether some indexed text has the feature.
    pub(crate) fn has(&self, feature: u64) -> bool {
        self.known.contains_key(&feature)
    }

    /// Converts a text to a vector: logarithmic frequency times rarity, with equal weight for each kind of
    /// feature.
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    pub(crate) fn vector(&self, text: &Features) -> FeatureVector {
        let mut vector = FeatureVector::new();
        for kind in &text.kinds {
            let mut found: Vec<(u32, f32)> = kind.iter().filter_map(|f| self.known.get(f).copied()).collect();
            found.sort_unstable_by_key(|(id, _)| *id);
            let mut weighted: FeatureVector = found
                .chunk_by(|a, b| a.0 == b.0)
                .filter_map(|same| {
                    same.first().map(|(id, rarity)| (*id, rarity * (1.0 + (same.len() as f32).ln())))
                })
                .collect();
            normalise(&mut weighted);
            vector.extend(weighted);
        }
        vector.sort_unstable_by_key(|(id, _)| *id);
        normalise(&mut vector);
        vector
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.known.capacity() * size_of::<(u64, (u32, f32))>()
    }
}

fn normalise(vector: &mut FeatureVector) {
    let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    if length > 0.0 {
        for (_, weight) in vector {
            *weight /= length;
        }
    }
}
