//! Combines the scores of a text's clauses.

use super::clause_scores::ClauseScores;
use crate::{relevance::probability, text};

/// How much the log-odds that some action serves a clause raise its weight.
const LOG_ODDS: f32 = 0.3;
/// The weight of the whole text, relative to its clauses, is 1 up to this number of words, and falls with
/// their number to the minimum.
const WHOLE_WORDS: u16 = 25;
const LEAST_WHOLE: f32 = 0.2;

/// A clause's shares, their log-odds, and the logarithm of the clause's weight.
pub(super) struct WeightedShares {
    pub(super) of_documents: Vec<f32>,
    pub(super) log_odds: f32,
    pub(super) weight: f32,
}

/// Returns the shares of a text from those of the whole and of its clauses, and the probability that some
/// action serves it. A document gets the best of its shares in the clauses, each weighted: one clause asks,
/// and the others tell a story.
pub(super) fn combine(
    query: &str,
    whole: ClauseScores,
    clauses: &[WeightedShares],
) -> (Vec<f32>, Option<f32>) {
    let mut shares = whole.of_documents;
    if clauses.is_empty() {
        return (shares, whole.log_odds.map(probability));
    }
    let logs: Vec<f32> = clauses.iter().map(|clause| clause.weight + LOG_ODDS * clause.log_odds).collect();
    let most = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logs.iter().map(|log| (log - most).exp()).collect();
    let words = u16::try_from(text::words(query).len()).unwrap_or(u16::MAX).max(1);
    let of_whole = (f32::from(WHOLE_WORDS) / f32::from(words)).clamp(LEAST_WHOLE, 1.0);
    for (at, share) in shares.iter_mut().enumerate() {
        let weighted = clauses
            .iter()
            .zip(&weights)
            .filter_map(|(clause, weight)| clause.of_documents.get(at).map(|share| weight * share));
        *share = of_whole * *share + (1.0 - of_whole) * weighted.fold(0.0, f32::max);
    }
    let total: f32 = weights.iter().sum();
    let odds = clauses.iter().zip(&weights).map(|(clause, weight)| weight * probability(clause.log_odds));
    (shares, Some(odds.sum::<f32>() / total))
}
