//! Estimates the probability that some action serves a text.
//!
//! The score of an action in one text can't be compared with its score in another: a long text shares a
//! smaller part of its words with each phrase than a short one. What can be compared is how much better the
//! actions explain a text than the phrases that no action serves do, which the length changes for both. The
//! probability is a logistic regression over such differences.

use toolcrib_registry::LIST_TOOLS;

/// If the best score is below this, probably no action fits the query; offer only the actions that are always
/// offered. `docs/tool-lists.md` says how often it is right.
pub const NO_TOOL_BELOW: f32 = 0.5;

/// Returns advice for the caller if the best score of a search says that no action fits.
pub fn no_tool_hint(best: f32) -> Option<String> {
    let advice = || format!("no action fits well; try other words, or list all actions with `{LIST_TOOLS}`");
    (best < NO_TOOL_BELOW).then(advice)
}

/// What the parts of the search say about a text. "Actions" are those that the caller may call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// The classifier's logit of the best action.
    pub(crate) best: f32,
    /// The logarithm of the sum of all actions' exponentiated logits, minus the logit of "no action".
    pub(crate) margin: f32,
    /// The similarity of the nearest phrases of the best action, minus that of the phrases that no action
    /// serves.
    pub(crate) similarity: f32,
    /// The number of the platform's concepts in the text.
    pub(crate) concepts: usize,
}

/// The weights of margin, similarity, concepts and best logit. They were fitted on half of the questions in
/// `tests/data`, and on phrases of the corpus that the index under test did not have; among those of the
/// second kind that no action serves, the index had no phrase of the same class.
const WEIGHTS: [f32; 4] = [0.46, 6.4, 0.39, 0.5];
/// Moves the threshold to a probability of one half. It was set by hand: lower than where 5 % of the half are
/// below, because a list without the action costs more than a list with one too many.
const INTERCEPT: f32 = -2.7;
/// More concepts than this are no further evidence.
const MAX_CONCEPTS: u16 = 6;
/// A higher logit of the best action is no further evidence: it says which action, not whether one fits. A
/// low one says that the words are unknown.
const MAX_BEST_LOGIT: f32 = 2.0;

impl Evidence {
    /// Returns the log-odds that some action serves the text.
    pub(crate) fn log_odds(&self) -> f32 {
        let concepts = u16::try_from(self.concepts).unwrap_or(u16::MAX).min(MAX_CONCEPTS);
        let values = [self.margin, self.similarity, f32::from(concepts), self.best.min(MAX_BEST_LOGIT)];
        WEIGHTS.iter().zip(values).map(|(weight, value)| weight * value).sum::<f32>() + INTERCEPT
    }
}

pub(crate) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_evidence_raises_the_probability() {
        let base = Evidence { best: 1.0, margin: 2.0, similarity: 0.0, concepts: 1 };
        let more = [
            Evidence { best: 1.5, ..base },
            Evidence { margin: 3.0, ..base },
            Evidence { similarity: 0.1, ..base },
            Evidence { concepts: 2, ..base },
        ];
        for more in more {
            assert!(more.log_odds() > base.log_odds(), "{more:?}");
        }
        let many = |concepts| Evidence { concepts, ..base }.log_odds();
        assert!(many(6) >= many(60), "more concepts are no further evidence");
    }

    #[test]
    fn a_probability_is_between_0_and_1() {
        assert!((probability(0.0) - 0.5).abs() < 1e-6);
        assert!((0.0..=1.0).contains(&probability(-1e30)) && (0.0..=1.0).contains(&probability(1e30)));
    }
}
