//! The features of a text: its words and word pairs, the character n-grams of its words, its concepts and
//! pairs of concepts. Each feature is a hash. The vocabulary assigns an index and a weight to the features
//! that it keeps.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{BuildHasherDefault, Hasher},
};

use crate::{lexicon::Lexicon, text};

pub(crate) type FeatureMap<V> = HashMap<u64, V, BuildHasherDefault<FeatureHasher>>;

/// The hash of a feature, which is a hash already.
#[derive(Debug, Default)]
pub(crate) struct FeatureHasher(u64);

impl Hasher for FeatureHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, feature: u64) {
        // The lowest bit says whether a feature is rare; the product moves the other bits over it.
        self.0 = (self.0 ^ feature).rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A text split into words.
#[derive(Debug)]
pub(crate) struct AnalyzedText {
    /// The words, folded.
    pub(crate) words: Vec<String>,
    pub(crate) stems: Vec<String>,
    /// The concepts, in the order of the text.
    pub(crate) concepts: Vec<&'static str>,
}

impl AnalyzedText {
    /// Splits a text and finds its concepts.
    pub(crate) fn new(lexicon: &Lexicon, input: &str) -> Self {
        Self::of_many(lexicon, input, &mut HashMap::new())
    }

    /// Splits one of many texts. Keeps the concepts of stems without an entry in `inexact`, as
    /// [`Lexicon::concepts_with`] does.
    pub(crate) fn of_many(
        lexicon: &Lexicon,
        input: &str,
        inexact: &mut HashMap<String, BTreeSet<&'static str>>,
    ) -> Self {
        let words = text::words(input);
        let stems: Vec<String> = words.iter().map(|word| text::stem(word).to_owned()).collect();
        let concepts = lexicon.concepts_with(&stems, inexact);
        Self { words, stems, concepts }
    }
}

/// The features of one text by kind, with duplicates.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// In the order of [`FeatureKind`].
    pub(crate) kinds: [Vec<u64>; 3],
    /// The number of different concepts.
    pub(crate) concepts: usize,
}

/// The kinds of features. Each kind has the same total weight, however many features it has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FeatureKind {
    /// Stems and pairs of adjacent stems.
    Words,
    /// Character n-grams of three to five characters of a word.
    Characters,
    /// Concepts and pairs of concepts, at any positions.
    Concepts,
}

/// The bit of features that the vocabulary keeps even if only one text has them. Others need two texts.
pub(crate) const RARE_COUNTS: u64 = 1;

pub(crate) fn features(text: &AnalyzedText) -> Features {
    let AnalyzedText { words, stems, .. } = text;
    let mut concepts = text.concepts.clone();
    concepts.sort_unstable();
    concepts.dedup();
    let mut out = Features { concepts: concepts.len(), ..Features::default() };
    let [of_words, of_characters, of_concepts] = &mut out.kinds;
    of_words.extend(stems.iter().map(|stem| word_feature(stem)));
    of_words.extend(stems.windows(2).filter_map(|pair| match pair {
        [a, b] => Some(hash(FeatureKind::Words, &[a, b]) & !RARE_COUNTS),
        _ => None,
    }));
    for word in words {
        runs(word, of_characters);
    }
    of_concepts.extend(concepts.iter().map(|c| hash(FeatureKind::Concepts, &[c]) | RARE_COUNTS));
    for (i, a) in concepts.iter().enumerate() {
        let pairs = concepts.iter().skip(i + 1).map(|b| hash(FeatureKind::Concepts, &[a, b]) & !RARE_COUNTS);
        of_concepts.extend(pairs);
    }
    out
}

/// Appends the character n-grams of a word with a blank at both ends, of three to five characters.
pub(crate) fn runs(word: &str, out: &mut Vec<u64>) {
    let bounded: Vec<char> = [' '].into_iter().chain(word.chars()).chain([' ']).collect();
    let mut buffer = String::new();
    for n in 3..=5 {
        for run in bounded.windows(n) {
            buffer.clear();
            buffer.extend(run);
            out.push(hash(FeatureKind::Characters, &[&buffer]) & !RARE_COUNTS);
        }
    }
}

pub(crate) fn word_feature(stem: &str) -> u64 {
    hash(FeatureKind::Words, &[stem]) | RARE_COUNTS
}

/// Returns the hash of a word or of several words.
pub(crate) fn word(parts: &[&str]) -> u64 {
    hash(FeatureKind::Words, parts)
}

/// Returns the FNV-1a hash, which is the same on every machine and in every run.
fn hash(kind: FeatureKind, parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    [kind as u8].into_iter().chain(bytes).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
