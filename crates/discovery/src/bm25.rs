//! Okapi BM25F over the documents' fields: each field has its own weight and length normalization. One index
//! is over words and the concepts that they name. The other is over character n-grams, which tolerates
//! endings and misspellings.

mod indexer;
mod postings;

use std::collections::BTreeMap;

use indexer::{FieldTerms, Indexer};
use postings::{Posting, Postings};

use crate::{
    document::Document,
    features::{AnalyzedText, runs, word},
    lexicon::Lexicon,
    text,
};

/// BM25's `k1`: how fast the score of a repeated term saturates.
const SATURATION: f32 = 1.2;
/// BM25's `b`: how much a field's length reduces the score.
const LENGTH: f32 = 0.6;
/// The number of fields of a document.
const FIELDS: usize = 7;
/// The weights of the fields: name, category, tags, examples, description, parameters, phrases.
const WEIGHTS: [f32; FIELDS] = [4.0, 1.5, 2.5, 2.0, 1.6, 0.7, 1.0];
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
    postings: Postings,
    documents: usize,
}

impl Bm25 {
    pub(crate) fn new(compares: Terms, lexicon: &Lexicon, documents: &[Document]) -> Self {
        let mut indexer = Indexer::new(compares, lexicon);
        let fields: Vec<FieldTerms> = documents.iter().map(|doc| indexer.fields(doc)).collect();
        let terms = indexer.terms;
        let mut lists: Vec<Vec<Posting>> = vec![Vec::new(); terms.len()];
        let means = mean_lengths(&fields);
        let mut frequencies = vec![0.0; terms.len()];
        for (doc, fields) in (0u32..).zip(&fields) {
            add_frequencies(fields, &means, &mut frequencies);
            for number in fields.iter().flatten().map(|number| *number as usize) {
                if let (Some(frequency), Some(list)) = (frequencies.get_mut(number), lists.get_mut(number))
                    && *frequency > 0.0
                {
                    // The frequency becomes 0 again for the next document.
                    list.push((doc, std::mem::take(frequency)));
                }
            }
        }
        let postings = Postings::new(terms.into_iter().zip(lists));
        Self { compares, postings, documents: documents.len() }
    }

    /// Returns a score from 0 to 1 for each document for which `open` is true: the share of the query's term
    /// weight that it matches. Other documents score 0. The rarity of a term is that in this index and in
    /// `others` together: a small index can't tell which words are common.
    pub(crate) fn scores(&self, query: &AnalyzedText, open: &[bool], others: Option<&Self>) -> Vec<f32> {
        let mut scores = vec![0.0; open.len()];
        let mut whole = 0.0;
        let terms: BTreeMap<u64, f32> = terms(self.compares, query).into_iter().collect();
        let long = terms.len() > MANY_TERMS;
        for (term, weight) in terms {
            let posting = self.postings.get(term);
            let (all, with) = (self.documents, posting.len());
            let of_others = others.map_or((0, 0), |other| (other.documents, other.postings.get(term).len()));
            let (all, with) = (all + of_others.0, with + of_others.1);
            if long && with > all / 4 {
                continue;
            }
            let weight = rarity(all, with) * weight;
            whole += weight;
            for (at, frequency) in posting {
                let at = *at as usize;
                if open.get(at) == Some(&true)
                    && let Some(score) = scores.get_mut(at)
                {
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

    /// Returns the number of bytes that the index has on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.postings.heap_bytes()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^24")]
fn rarity(all: usize, with: usize) -> f32 {
    let (all, with) = (all as f32, with as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the mean number of terms of each field, at least 1.
#[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^24")]
fn mean_lengths(documents: &[FieldTerms]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let sum: usize = documents.iter().filter_map(|doc| doc.get(field)).map(Vec::len).sum();
        (sum as f32 / documents.len().max(1) as f32).max(1.0)
    })
}

/// Adds the terms of a document to the frequency of each term, weighted and normalized by length. The order is
/// fixed, because the rounding of float sums depends on it.
#[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^24")]
fn add_frequencies(fields: &FieldTerms, means: &[f32; FIELDS], frequencies: &mut [f32]) {
    for ((terms, weight), mean) in fields.iter().zip(WEIGHTS).zip(means) {
        let share = weight / (1.0 - LENGTH + LENGTH * terms.len() as f32 / mean);
        for number in terms {
            if let Some(frequency) = frequencies.get_mut(*number as usize) {
                *frequency += share;
            }
        }
    }
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
