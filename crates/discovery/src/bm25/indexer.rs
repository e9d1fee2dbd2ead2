//! Converts documents to lists of terms. Analyzes each word once, because the documents share most words.

use std::collections::{BTreeSet, HashMap};

use super::{FIELDS, Terms};
use crate::{
    document::Document,
    features::{FeatureMap, runs, word},
    lexicon::Lexicon,
    text,
};

/// The numbers of the terms of each field of a document, with duplicates.
pub(super) type FieldTerms = [Vec<u32>; FIELDS];

/// A word that was found before.
struct IndexedWord {
    is_function_word: bool,
    /// The numbers of its terms.
    terms: Box<[u32]>,
}

/// Numbers the terms in the order in which they are found.
pub(super) struct Indexer<'l> {
    compares: Terms,
    lexicon: &'l Lexicon,
    /// The terms, by their number.
    pub(super) terms: Vec<u64>,
    numbers: FeatureMap<u32>,
    words: HashMap<String, IndexedWord>,
    /// The concepts of stems that the lexicon does not have.
    inexact: HashMap<String, BTreeSet<&'static str>>,
}

impl<'l> Indexer<'l> {
    /// Starts without terms.
    pub(super) fn new(compares: Terms, lexicon: &'l Lexicon) -> Self {
        let (terms, numbers, words) = (Vec::new(), FeatureMap::default(), HashMap::new());
        Self { compares, lexicon, terms, numbers, words, inexact: HashMap::new() }
    }

    /// Returns the terms of a document's fields, in the order of the weights.
    pub(super) fn fields(&mut self, doc: &Document) -> FieldTerms {
        let category = doc.category.map(|category| category.title().to_owned());
        [
            self.terms_of(&[doc.name_words()]),
            self.terms_of(category.as_slice()),
            self.terms_of(&doc.tags),
            self.terms_of(&doc.examples),
            self.terms_of(std::slice::from_ref(&doc.description)),
            self.terms_of(&doc.parameters),
            self.terms_of(&doc.phrases),
        ]
    }

    fn terms_of(&mut self, texts: &[String]) -> Vec<u32> {
        let mut found = Vec::new();
        for text in texts {
            let words = text::words(text);
            self.add_words(&words, &mut found);
            if self.compares == Terms::Words {
                let stems: Vec<String> = words.iter().map(|word| text::stem(word).to_owned()).collect();
                for concept in self.lexicon.concepts_with(&stems, &mut self.inexact) {
                    found.push(self.number(word(&["#", concept])));
                }
            }
        }
        found
    }

    /// Adds the terms of the words that are no function words, or of all if there are no others.
    fn add_words(&mut self, words: &[String], found: &mut Vec<u32>) {
        let before = found.len();
        for word in words {
            let telling = self.word(word).filter(|indexed| !indexed.is_function_word);
            found.extend(telling.into_iter().flat_map(|indexed| &indexed.terms));
        }
        if found.len() == before {
            for word in words {
                found.extend(self.word(word).into_iter().flat_map(|indexed| &indexed.terms));
            }
        }
    }

    /// Returns the terms of a word. Never `None`.
    fn word(&mut self, written: &str) -> Option<&IndexedWord> {
        if !self.words.contains_key(written) {
            let mut terms = Vec::new();
            match self.compares {
                Terms::Words => terms.push(word(&[text::stem(written)])),
                Terms::Runs => runs(written, &mut terms),
            }
            let terms = terms.into_iter().map(|term| self.number(term)).collect();
            let indexed = IndexedWord { is_function_word: text::is_function_word(written), terms };
            self.words.insert(written.to_owned(), indexed);
        }
        self.words.get(written)
    }

    fn number(&mut self, term: u64) -> u32 {
        let next = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(term).or_insert(next);
        if number == next {
            self.terms.push(term);
        }
        number
    }
}
