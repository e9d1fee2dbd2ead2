//! The search: scores a query and its clauses, and combines the scores.

mod clause_scores;
mod combine;
mod overlay;

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

pub use overlay::OverlaySearch;
use toolcrib_registry::{ActionMeta, Category};

use crate::{
    Document,
    bm25::{Bm25, Terms},
    classifier::{Classifier, MAX_CLASSES},
    corpus,
    features::{AnalyzedText, features, word_feature},
    lexicon::Lexicon,
    neighbours::Neighbours,
    text,
    vocabulary::{FeatureVector, Vocabulary},
};

#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The action's full name.
    pub name: Arc<str>,
    /// The score from 0 to 1: for the best action the probability that an action fits, for the others a part
    /// of it. Compare with [`crate::NO_TOOL_BELOW`].
    pub score: f32,
}

/// The search index. Immutable.
#[derive(Debug)]
pub struct Search {
    names: Vec<(Arc<str>, Option<Category>)>,
    lexicon: &'static Lexicon,
    /// Whether some document has phrases of users.
    phrases: bool,
    /// Added to the log-odds that some document fits a text.
    log_odds: f32,
    vocabulary: Vocabulary,
    neighbours: Neighbours,
    words: Bm25,
    letters: Bm25,
    classifier: Option<Classifier>,
}

impl Search {
    /// Indexes actions with their phrases of the corpus. Skips the phrases of other actions.
    pub fn new<'a>(metas: impl Iterator<Item = &'a ActionMeta>) -> Self {
        let phrases = corpus::phrases_by_action();
        Self::of_documents(&metas.map(|meta| Document::of(meta, &phrases)).collect::<Vec<_>>())
    }

    pub fn of_documents(documents: &[Document]) -> Self {
        Self::trained(documents, Lexicon::shared(), std::iter::empty(), 0.0)
    }

    /// Indexes documents, and texts that none of them fits.
    fn trained(
        documents: &[Document],
        lexicon: &'static Lexicon,
        others: impl Iterator<Item = &'static str>,
        log_odds: f32,
    ) -> Self {
        let (texts, owners) = sayings(documents, others);
        let (vocabulary, vectors) = analyzed(lexicon, &texts);
        let classes = documents.len() + 1;
        let classifier =
            (classes <= MAX_CLASSES).then(|| Classifier::train(vocabulary.len(), classes, &vectors, &owners));
        Self {
            names: documents.iter().map(|doc| (doc.name.clone(), doc.category)).collect(),
            words: Bm25::new(Terms::Words, lexicon, documents),
            letters: Bm25::new(Terms::Runs, lexicon, documents),
            neighbours: Neighbours::new(vocabulary.len(), &vectors, owners),
            lexicon,
            phrases: documents.iter().any(|doc| !doc.phrases.is_empty()),
            log_odds,
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
        let scores = self.scores(text::cut(query), &open);
        let mut hits: Vec<SearchHit> = self
            .names
            .iter()
            .zip(&open)
            .zip(scores)
            .filter(|((_, open), score)| **open && *score > 0.0)
            .map(|(((name, _), _), score)| SearchHit { name: name.clone(), score })
            .collect();
        hits.sort_by(best_first);
        hits.truncate(limit);
        hits
    }

    /// Returns a score for each document; 0 for those that are not open.
    fn scores(&self, query: &str, open: &[bool]) -> Vec<f32> {
        combine::scores(query, |text| self.clause_scores(text, open.to_vec()))
    }

    /// Searches the actions and the tools of `overlays`, as [`Self::search`] does: the declared tools of a workspace,
    /// which have the category [`Category::Toolset`], and packs, each with its category. Those that the query names
    /// come first, by name.
    ///
    /// The score of such a tool is on the same scale as that of an action. A pack's index has learnt to tell its own
    /// texts from the platform's, so the more likely one of a pack's actions fits, the lower is the score of the
    /// platform's; their order stays. Without overlays, or if none of their tools is allowed, returns what
    /// [`Self::search`] returns.
    pub fn search_with(
        &self,
        overlays: &[&OverlaySearch],
        query: &str,
        allowed: &dyn Fn(&str) -> bool,
        limit: usize,
        category: Option<Category>,
    ) -> Vec<SearchHit> {
        let mut hits = self.search(query, allowed, limit, category);
        let (mut named, mut of_overlays, mut left) = (Vec::new(), Vec::new(), 1.0);
        for overlay in overlays.iter().filter(|overlay| category.is_none_or(|only| only == overlay.category))
        {
            let (by_name, scored) = overlay.hits(self, query, allowed);
            if overlay.category.pack().is_some() {
                let best = scored.iter().map(|hit| hit.score).fold(0.0, f32::max);
                // Not 0, at which the platform's actions would lose their order.
                left *= (1.0 - best).max(f32::EPSILON);
            }
            named.extend(by_name);
            of_overlays.extend(scored);
        }
        for hit in &mut hits {
            hit.score *= left;
        }
        hits.append(&mut of_overlays);
        for list in [&mut named, &mut hits] {
            list.sort_by(best_first);
        }
        named.append(&mut hits);
        named.truncate(limit);
        named
    }

    /// Returns the number of bytes on the heap, without the texts of the names.
    fn heap_bytes(&self) -> usize {
        let names = size_of_val(&*self.names);
        let words = self.words.heap_bytes() + self.letters.heap_bytes();
        let learnt = self.classifier.as_ref().map_or(0, Classifier::heap_bytes);
        names + words + learnt + self.vocabulary.heap_bytes() + self.neighbours.heap_bytes()
    }

    /// Returns whether the index knows every part of a word: some indexed text has it, or it names a concept.
    pub(crate) fn knows(&self, word: &str) -> bool {
        let stems = text::stems(word);
        let indexed = |stem: &String| self.vocabulary.has(word_feature(stem));
        stems.iter().all(indexed) || !self.lexicon.concepts(&stems).is_empty()
    }
}

fn analyzed(lexicon: &Lexicon, texts: &[String]) -> (Vocabulary, Vec<FeatureVector>) {
    let mut inexact = HashMap::new();
    let raw = texts.iter().map(|text| features(&AnalyzedText::of_many(lexicon, text, &mut inexact)));
    let raw: Vec<_> = raw.collect();
    let vocabulary = Vocabulary::new(&raw);
    let vectors = raw.iter().map(|text| vocabulary.vector(text)).collect();
    (vocabulary, vectors)
}

/// Returns the texts to train on, with the index of the document of each. Texts that no action serves, and `others`,
/// get the index after the last document.
fn sayings(documents: &[Document], others: impl Iterator<Item = &'static str>) -> (Vec<String>, Vec<usize>) {
    let of_documents =
        documents.iter().enumerate().flat_map(|(i, doc)| doc.sayings().map(move |text| (text, i)));
    let of_none = corpus::none().chain(others).map(|text| (text.to_owned(), documents.len()));
    of_documents.chain(of_none).unzip()
}

fn best_first(a: &SearchHit, b: &SearchHit) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name))
}

#[cfg(test)]
mod tests;
