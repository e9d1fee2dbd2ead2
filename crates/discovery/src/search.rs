//! The search: three scores, combined into one.

use std::cmp::Ordering;

use toolcrib_registry::{ActionMeta, Category};

use crate::{
    Document,
    bm25::{Bm25, Terms},
    classifier::{Classifier, MOST_CLASSES, softmax},
    corpus, features,
    lexicon::Lexicon,
    neighbours::Neighbours,
    relevance::{self, Evidence},
    text,
    vocabulary::{FeatureVector, Vocabulary},
};

/// If the best score is below this, probably no action fits the query; offer only the actions that are always
/// offered. `docs/tool-lists.md` says how often it is right.
pub const NO_TOOL_BELOW: f32 = 0.5;

/// The weights of the classifier, the nearest phrases and the words (BM25) in the score.
const SHARES: [f32; 3] = [0.6, 0.2, 0.2];

/// The weight of the nearest phrases without a classifier, if the documents have phrases of users. The words
/// have the rest.
const VOTES_OF_PHRASES: f32 = 0.5;
const VOTES: f32 = 0.2;

/// A result of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// The action's full name.
    pub name: &'static str,
    /// The score from 0 to 1: for the best action the probability that an action fits, for the others a part
    /// of it. Compare with [`NO_TOOL_BELOW`].
    pub score: f32,
}

/// The search index. Immutable.
#[derive(Debug)]
pub struct Search {
    names: Vec<(&'static str, Option<Category>)>,
    lexicon: &'static Lexicon,
    /// Whether some document has phrases of users.
    phrases: bool,
    vocabulary: Vocabulary,
    neighbours: Neighbours,
    words: Bm25,
    letters: Bm25,
    classifier: Option<Classifier>,
}

impl Search {
    /// Indexes actions with their phrases of the corpus. Skips the phrases of other actions.
    pub fn new<'a>(metas: impl Iterator<Item = &'a ActionMeta>) -> Self {
        Self::of_documents(&metas.map(Document::of).collect::<Vec<_>>())
    }

    /// Indexes documents.
    pub fn of_documents(documents: &[Document]) -> Self {
        let lexicon = Lexicon::shared();
        let (texts, owners) = sayings(documents);
        let raw: Vec<_> = texts.iter().map(|text| features::features(lexicon, text)).collect();
        let vocabulary = Vocabulary::new(&raw);
        let vectors: Vec<FeatureVector> = raw.iter().map(|text| vocabulary.vector(text)).collect();
        let classes = documents.len() + 1;
        let classifier = (classes <= MOST_CLASSES)
            .then(|| Classifier::train(vocabulary.len(), classes, &vectors, &owners));
        Self {
            names: documents.iter().map(|doc| (doc.name, doc.category)).collect(),
            words: Bm25::new(Terms::Words, lexicon, documents),
            letters: Bm25::new(Terms::Runs, lexicon, documents),
            neighbours: Neighbours::new(vocabulary.len(), &vectors, owners),
            lexicon,
            phrases: documents.iter().any(|doc| !doc.phrases.is_empty()),
            vocabulary,
            classifier,
        }
    }

    /// Returns at most `limit` documents for which `allowed` is true and that have `category`, if given.
    /// Sorts by descending score, then by name. Does not score other documents.
    pub fn search(
        &self,
        query: &str,
        allowed: &dyn Fn(&str) -> bool,
        limit: usize,
        category: Option<Category>,
    ) -> Vec<SearchHit> {
        let fits = |of: Option<Category>| category.is_none() || of == category;
        let open: Vec<bool> = self.names.iter().map(|(name, of)| fits(*of) && allowed(name)).collect();
        let scores = self.scores(text::cut(query), open.clone());
        let mut hits: Vec<SearchHit> = self
            .names
            .iter()
            .zip(&open)
            .zip(scores)
            .filter(|((_, open), score)| **open && *score > 0.0)
            .map(|(((name, _), _), score)| SearchHit { name, score })
            .collect();
        hits.sort_by(best_first);
        hits.truncate(limit);
        hits
    }

    /// Returns a score for each document. The best is the probability that an action fits; the others have
    /// their share of it. Without phrases of users that can't be estimated, and the scores are the shares.
    fn scores(&self, query: &str, open: Vec<bool>) -> Vec<f32> {
        let (mut shares, log_odds) = self.shares(query, open);
        let best = shares.iter().copied().fold(0.0, f32::max);
        if let Some(log_odds) = log_odds
            && best > 0.0
        {
            let scale = relevance::probability(log_odds) / best;
            for share in &mut shares {
                *share *= scale;
            }
        }
        shares
    }

    /// Returns for each document how well it fits a text, compared with the other documents, and the log-odds
    /// that any of them fits.
    fn shares(&self, text: &str, mut open: Vec<bool>) -> (Vec<f32>, Option<f32>) {
        let words = self.words.scores(self.lexicon, text, &open);
        let letters = self.letters.scores(self.lexicon, text, &open);
        let words = words.iter().zip(letters).map(|(word, letter)| 0.5 * (word + letter));
        // The last class is "no action", which every caller may get.
        open.push(true);
        let features = features::features(self.lexicon, text);
        let vector = self.vocabulary.vector(&features);
        let votes = self.neighbours.votes(&vector, &open);
        let of = if self.phrases { VOTES_OF_PHRASES } else { VOTES };
        let Some(classifier) = self.classifier.as_ref().filter(|_| !vector.is_empty()) else {
            return (
                votes.iter().zip(words).map(|(vote, word)| of * vote + (1.0 - of) * word).collect(),
                None,
            );
        };
        let mut learnt = classifier.logits(&vector, &open);
        let log_odds = self.phrases.then(|| evidence(&learnt, &votes, features.concepts).log_odds());
        softmax(&mut learnt);
        let [of_learnt, of_votes, of_words] = SHARES;
        let parts = learnt.iter().zip(&votes).zip(words);
        let shares = parts
            .map(|((learnt, vote), word)| of_learnt * learnt + of_votes * vote + of_words * word)
            .collect();
        (shares, log_odds)
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

/// Returns the texts to train on, with the index of the document of each. Texts that no action serves get the
/// index after the last document.
fn sayings(documents: &[Document]) -> (Vec<String>, Vec<usize>) {
    let of_documents =
        documents.iter().enumerate().flat_map(|(i, doc)| doc.sayings().map(move |text| (text, i)));
    let of_none = corpus::none().map(|text| (text.to_owned(), documents.len()));
    of_documents.chain(of_none).unzip()
}

fn best_first(a: &SearchHit, b: &SearchHit) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.name.cmp(b.name))
}

#[cfg(test)]
mod tests;
