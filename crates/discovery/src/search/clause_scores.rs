//! Scores one text: three scores, combined into one.

use super::Search;
use crate::{
    classifier::softmax,
    features::{AnalyzedText, features},
    relevance::Evidence,
};

/// The weights of the classifier, the nearest phrases and the words (BM25) in the score.
const WEIGHTS: [f32; 3] = [0.6, 0.2, 0.2];

/// The weight of the nearest phrases without a classifier, if the documents have phrases of users. The words
/// have the rest.
const VOTES_OF_PHRASES: f32 = 0.5;
const VOTES: f32 = 0.2;

/// How well each document fits a text, compared with the other documents.
pub(super) struct ClauseScores {
    pub(super) of_documents: Vec<f32>,
    /// The log-odds that any of them fits, if it can be estimated.
    pub(super) log_odds: Option<f32>,
}

impl Search {
    /// Compares the documents with each other for one text.
    pub(super) fn clause_scores(&self, text: &str, mut open: Vec<bool>) -> ClauseScores {
        let text = AnalyzedText::new(self.lexicon, text);
        let words = self.words.scores(&text, &open, None);
        let letters = self.letters.scores(&text, &open, None);
        let words = words.iter().zip(letters).map(|(word, letter)| 0.5 * (word + letter));
        // The last class is "no action", which every caller may get.
        open.push(true);
        let features = features(&text);
        let vector = self.vocabulary.vector(&features);
        let votes = self.neighbours.votes(&vector, &open);
        let of = if self.phrases { VOTES_OF_PHRASES } else { VOTES };
        let Some(classifier) = self.classifier.as_ref().filter(|_| !vector.is_empty()) else {
            let parts = votes.iter().zip(words).map(|(vote, word)| of * vote + (1.0 - of) * word);
            return ClauseScores { of_documents: parts.collect(), log_odds: None };
        };
        let mut learnt = classifier.logits(&vector, &open);
        let evidence = || evidence(&learnt, &votes, features.concepts).log_odds() + self.log_odds;
        let log_odds = self.phrases.then(evidence);
        softmax(&mut learnt);
        let [of_learnt, of_votes, of_words] = WEIGHTS;
        let parts = learnt.iter().zip(&votes).zip(words);
        let of_documents =
            parts.map(|((learnt, vote), word)| of_learnt * learnt + of_votes * vote + of_words * word);
        ClauseScores { of_documents: of_documents.collect(), log_odds }
    }
}

/// Compares the actions with "no action", which is the last class.
fn evidence(logits: &[f32], votes: &[f32], concepts: usize) -> Evidence {
    let most = |values: &[f32]| values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (Some((none, actions)), Some((no_vote, votes))) = (logits.split_last(), votes.split_last()) else {
        return Evidence::default();
    };
    let best = most(actions);
    if best == f32::NEG_INFINITY {
        return Evidence::default();
    }
    let sum: f32 = actions.iter().map(|logit| (logit - best).exp()).sum();
    Evidence { best, margin: best + sum.ln() - none, similarity: most(votes) - no_vote, concepts }
}
