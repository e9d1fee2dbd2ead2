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

/// A result of the search.
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

    /// Indexes documents.
    pub fn of_documents(documents: &[Document]) -> Self {
        let lexicon = Lexicon::shared();
        let (texts, owners) = sayings(documents);
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
        let scores = combine::scores(text::cut(query), |text| self.clause_scores(text, open.clone()));
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

    /// Searches the actions and the tools of `overlays`, as [`Self::search`] does: the declared tools of a workspace, which have the
    /// category [`Category::Toolset`], and packs, each with its category. Those that the query names come first, by name.
    ///
    /// The score of such a tool is on the same scale as that of an action. Without overlays, or if none of their tools
    /// is allowed, returns what [`Self::search`] returns.
    pub fn search_with(
        &self,
        overlays: &[&OverlaySearch],
        query: &str,
        allowed: &dyn Fn(&str) -> bool,
        limit: usize,
        category: Option<Category>,
    ) -> Vec<SearchHit> {
        let mut hits = self.search(query, allowed, limit, category);
        let mut named = Vec::new();
        for overlay in overlays.iter().filter(|overlay| category.is_none_or(|only| only == overlay.category))
        {
            let (by_name, scored) = overlay.hits(self, query, allowed);
            named.extend(by_name);
            hits.extend(scored);
        }
        for list in [&mut named, &mut hits] {
            list.sort_by(best_first);
        }
        named.append(&mut hits);
        named.truncate(limit);
        named
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

/// Returns the texts to train on, with the index of the document of each. Texts that no action serves get the
/// index after the last document.
fn sayings(documents: &[Document]) -> (Vec<String>, Vec<usize>) {
    let of_documents =
        documents.iter().enumerate().flat_map(|(i, doc)| doc.sayings().map(move |text| (text, i)));
    let of_none = corpus::none().map(|text| (text.to_owned(), documents.len()));
    of_documents.chain(of_none).unzip()
}

fn best_first(a: &SearchHit, b: &SearchHit) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name))
}

#[cfg(test)]
mod tests;
