//! Okapi BM25F over the documents' fields: each field has its own weight and length normalization. One index
//! is over words and the concepts that they name. The other is over character n-grams, which tolerates
//! endings and misspellings.

use std::collections::BTreeMap;

use crate::{
    document::Document,
    features::{AnalyzedText, FeatureMap, runs, word},
    lexicon::Lexicon,
    text,
};

/// BM25's `k1`: how fast the score of a repeated term saturates.
const SATURATION: f32 = 1.2;
/// BM25's `b`: how much a field's length reduces the score.
const LENGTH: f32 = 0.6;
/// The weights of the fields: name, category, tags, examples, description, parameters, phrases.
const WEIGHTS: [f32; 7] = [4.0, 1.5, 2.5, 2.0, 1.6, 0.7, 1.0];
/// The weight of a shared concept, relative to a shared word.
const CONCEPT: f32 = 0.6;
/// If the query has more terms than this, terms in more than a quarter of the documents are skipped. They
/// contribute little and take the most time.
const MANY_TERMS: usize = 48;

/// The kind of terms that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terms {
    /// Stems and the concepts that they name.
    Words,
    /// Character n-grams of three to five characters.
    Runs,
}

/// An inverted index with weighted term frequencies.
#[derive(Debug)]
pub(crate) struct Bm25 {
    compares: Terms,
    /// For each term, the documents and the term's frequency over all fields, weighted and normalized by
    /// length.
    postings: FeatureMap<Vec<(usize, f32)>>,
    documents: usize,
}

impl Bm25 {
    /// Indexes documents.
    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^24")]
    pub(crate) fn new(compares: Terms, lexicon: &Lexicon, documents: &[Document]) -> Self {
        let fields: Vec<[Vec<u64>; 7]> = documents.iter().map(|doc| fields(compares, lexicon, doc)).collect();
        let mut postings: FeatureMap<Vec<(usize, f32)>> = FeatureMap::default();
        let mean = |field: usize| {
            let sum: usize = fields.iter().filter_map(|doc| doc.get(field)).map(Vec::len).sum();
            (sum as f32 / documents.len().max(1) as f32).max(1.0)
        };
        let means: Vec<f32> = (0..WEIGHTS.len()).map(mean).collect();
        for (at, doc) in fields.iter().enumerate() {
            // Iterate in a fixed order, because the rounding of float sums depends on it.
            let mut frequencies: BTreeMap<u64, f32> = BTreeMap::new();
            for ((terms, weight), mean) in doc.iter().zip(WEIGHTS).zip(&means) {
                let share = weight / (1.0 - LENGTH + LENGTH * terms.len() as f32 / mean);
                for term in terms {
                    *frequencies.entry(*term).or_default() += share;
                }
            }
            for (term, frequency) in frequencies {
                postings.entry(term).or_default().push((at, frequency));
            }
        }
        Self { compares, postings, documents: documents.len() }
    }

    /// Returns a score from 0 to 1 for each document for which `open` is true: the share of the query's term
    /// weight that it matches. Other documents score 0.
    pub(crate) fn scores(&self, query: &AnalyzedText, open: &[bool]) -> Vec<f32> {
        let mut scores = vec![0.0; open.len()];
        let mut whole = 0.0;
        let terms: BTreeMap<u64, f32> = terms(self.compares, query).into_iter().collect();
        let most = if terms.len() > MANY_TERMS { self.documents / 4 } else { usize::MAX };
        for (term, weight) in terms {
            let posting = self.postings.get(&term).map(Vec::as_slice).unwrap_or_default();
            if posting.len() > most {
                continue;
            }
            let weight = self.rarity(posting.len()) * weight;
            whole += weight;
            for (at, frequency) in posting.iter().filter(|(at, _)| open.get(*at) == Some(&true)) {
                if let Some(score) = scores.get_mut(*at) {
                    *score += weight * frequency / (frequency + SATURATION);
                }
            }
        }
        if whole > 0.0 {
            for score in &mut scores {
                *score /= whole;
            }
        }
        scores
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^24")]
    fn rarity(&self, documents: usize) -> f32 {
        let (all, with) = (self.documents as f32, documents as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn fields(compares: Terms, lexicon: &Lexicon, doc: &Document) -> [Vec<u64>; 7] {
    let of = |text: &str| {
        terms(compares, &AnalyzedText::new(lexicon, text))
            .into_iter()
            .map(|(term, _)| term)
            .collect::<Vec<_>>()
    };
    let each = |texts: &[String]| texts.iter().flat_map(|text| of(text)).collect();
    [
        of(&doc.name_words()),
        doc.category.map(|category| of(category.title())).unwrap_or_default(),
        each(&doc.tags),
        each(&doc.examples),
        of(&doc.description),
        each(&doc.parameters),
        each(&doc.phrases),
    ]
}

/// Returns the terms of a text, each with its weight.
fn terms(compares: Terms, input: &AnalyzedText) -> Vec<(u64, f32)> {
    let telling = |word: &&String| !text::is_function_word(word);
    let some = input.words.iter().any(|word| telling(&word));
    let words = input.words.iter().filter(|word| !some || telling(word));
    match compares {
        Terms::Runs => {
            let mut found = Vec::new();
            for word in words {
                runs(word, &mut found);
            }
            found.into_iter().map(|run| (run, 1.0)).collect()
        }
        Terms::Words => {
            let of_concepts = input.concepts.iter().map(|concept| (word(&["#", concept]), CONCEPT));
            words.map(|each| (word(&[text::stem(each)]), 1.0)).chain(of_concepts).collect()
        }
    }
}
