//! Okapi BM25F over the documents' fields: each field has a weight and a length of its own.

use std::collections::{BTreeSet, HashMap};

use crate::{document::Document, lexicon::Lexicon, text};

/// How soon a repeated word stops counting.
const SATURATION: f32 = 1.2;
/// How much a long field is held against a document.
const LENGTH: f32 = 0.6;
/// The weights of name, category, tags, examples, description, parameters, phrases.
const WEIGHTS: [f32; 7] = [4.0, 1.5, 2.5, 2.0, 1.6, 0.7, 1.0];
/// A concept that both name counts so much beside a word that both use.
const CONCEPT: f32 = 0.6;

/// Where words stand, with their weighted frequency.
#[derive(Debug)]
pub(crate) struct Bm25 {
    /// Term to documents with the frequency over all fields, weighted and normalised by length.
    postings: HashMap<String, Vec<(usize, f32)>>,
    documents: usize,
}

impl Bm25 {
    /// Indexes documents.
    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^24")]
    pub(crate) fn new(lexicon: &Lexicon, documents: &[Document]) -> Self {
        let fields: Vec<[Vec<String>; 7]> = documents.iter().map(|doc| fields(lexicon, doc)).collect();
        let mut postings: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
        let mean = |field: usize| {
            let sum: usize = fields.iter().filter_map(|doc| doc.get(field)).map(Vec::len).sum();
            (sum as f32 / documents.len().max(1) as f32).max(1.0)
        };
        let means: Vec<f32> = (0..WEIGHTS.len()).map(mean).collect();
        for (at, doc) in fields.iter().enumerate() {
            let mut frequencies: HashMap<&str, f32> = HashMap::new();
            for ((terms, weight), mean) in doc.iter().zip(WEIGHTS).zip(&means) {
                let share = weight / (1.0 - LENGTH + LENGTH * terms.len() as f32 / mean);
                for term in terms {
                    *frequencies.entry(term).or_default() += share;
                }
            }
            for (term, frequency) in frequencies {
                postings.entry(term.to_owned()).or_default().push((at, frequency));
            }
        }
        Self { postings, documents: documents.len() }
    }

    /// For each document in `open`, the share of the query's weight that it carries, 0 to 1.
    pub(crate) fn scores(&self, lexicon: &Lexicon, query: &str, open: &[bool]) -> Vec<f32> {
        let mut scores = vec![0.0; open.len()];
        let mut whole = 0.0;
        for term in terms(lexicon, query).into_iter().collect::<BTreeSet<_>>() {
            let posting = self.postings.get(&term).map(Vec::as_slice).unwrap_or_default();
            let weight = self.rarity(posting.len()) * if term.starts_with('#') { CONCEPT } else { 1.0 };
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

fn fields(lexicon: &Lexicon, doc: &Document) -> [Vec<String>; 7] {
    let of = |text: &str| terms(lexicon, text);
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

/// The stems of a text, and `#` with each concept.
fn terms(lexicon: &Lexicon, input: &str) -> Vec<String> {
    let mut terms = text::stems(input);
    let concepts = lexicon.concepts(&terms);
    terms.extend(concepts.into_iter().map(|concept| format!("#{concept}")));
    terms
}
