//! Combines the scores of a text's clauses.

use super::clause_scores::ClauseScores;
use crate::{
    clauses::{self, Clause},
    relevance::probability,
    text,
};

/// How much the log-odds that some action serves a clause raise its weight.
const LOG_ODDS: f32 = 0.3;
/// The weight of the whole text, relative to its clauses, is 1 up to this number of words, and falls with
/// their number to the minimum.
const WHOLE_WORDS: u16 = 25;
const MIN_WHOLE_WEIGHT: f32 = 0.2;

/// Returns a score for each document, given the scores for a text. The best is the probability that a document
/// fits; the others have their share of it. Where that can't be estimated, the scores are the shares.
pub(super) fn scores(query: &str, of_text: impl Fn(&str) -> ClauseScores) -> Vec<f32> {
    let whole = of_text(clauses::start(query));
    let clauses = whole.log_odds.map(|_| clauses::split(query)).unwrap_or_default();
    let weighted = |clause: &Clause<'_>| {
        let ClauseScores { of_documents, log_odds } = of_text(clause.text);
        Some(WeightedShares { of_documents, log_odds: log_odds?, weight: clause.weight })
    };
    let clauses: Vec<WeightedShares> = clauses.iter().filter_map(weighted).collect();
    let (mut shares, probability) = combine(query, whole, &clauses);
    let best = shares.iter().copied().fold(0.0, f32::max);
    if let Some(probability) = probability.filter(|_| best > 0.0) {
        for share in &mut shares {
            *share *= probability / best;
        }
    }
    shares
}

/// A clause's shares, their log-odds, and the logarithm of the clause's weight.
struct WeightedShares {
    of_documents: Vec<f32>,
    log_odds: f32,
    weight: f32,
}

/// Returns the shares of a text from those of the whole and of its clauses, and the probability that some
/// action serves it. A document gets the best of its shares in the clauses, each weighted: one clause asks,
/// and the others tell a story.
fn combine(query: &str, whole: ClauseScores, clauses: &[WeightedShares]) -> (Vec<f32>, Option<f32>) {
    let mut shares = whole.of_documents;
    if clauses.is_empty() {
        return (shares, whole.log_odds.map(probability));
    }
    let logs: Vec<f32> = clauses.iter().map(|clause| clause.weight + LOG_ODDS * clause.log_odds).collect();
    let most = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logs.iter().map(|log| (log - most).exp()).collect();
    let words = u16::try_from(text::words(query).len()).unwrap_or(u16::MAX).max(1);
    let of_whole = (f32::from(WHOLE_WORDS) / f32::from(words)).clamp(MIN_WHOLE_WEIGHT, 1.0);
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
