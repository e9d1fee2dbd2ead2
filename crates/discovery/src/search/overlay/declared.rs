//! The index of declared tools: words and character n-grams, no classifier and no phrases of users.

use crate::{
    Document,
    bm25::{Bm25, Terms},
    features::AnalyzedText,
    lexicon::Lexicon,
    search::{Search, clause_scores::ClauseScores},
    text,
};

/// The number of characters of each of a tool's lists (tags, examples, parameters) that the words cover. Bounds
/// the memory.
const MAX_LIST_CHARS: usize = 2_000;
/// The number of characters of a description, of tags and of examples that the n-grams cover. They take most of
/// the memory, and the first sentences say what a tool is for.
const MAX_NGRAM_CHARS: usize = 300;

/// The weights of the words and of the character n-grams in the score. With equal weights, one or two in a
/// hundred fewer phrases find their tool among the first five.
const WEIGHTS: [f32; 2] = [0.8, 0.2];

/// The log-odds that a declared tool serves a text are a logistic regression over the best score times the square
/// root of the text's number of words: a long text has a smaller part of its words in common with a tool. So the
/// scores of tools and actions are on one scale, and the two lists are merged without another factor.
///
/// Fitted on the part `tune` of `toolset_phrases.tsv` and on texts that no action serves, each with half of the
/// weight. Measured beside the 91 actions:
///
/// | what | 48 tools | 100 tools |
/// |---|---|---|
/// | phrases of tools, recall@5: `tune`, `report`, `later` | 0.90, 0.83, 0.86 | 0.89, 0.83, 0.84 |
/// | the platform's questions, recall@5 (0.991 alone) | | 0.984 |
/// | phrases of tools below the threshold: `tune`, `report`, `later` | 0.12, 0.10, 0.14 | |
/// | texts that no action serves, below it: far, near, `none.tsv` | 0.93, 0.76, 0.86 | |
///
/// Some of the texts that no action serves are what the 48 tools are for. Halving the lead that the best tool has
/// over the others (the square root of their shares) gains 0.01 for the tools and loses another 0.008 for the
/// platform; an intercept lower by 0.5 tells 0.03 more of the texts apart and misses 0.05 more of the phrases.
const SLOPE: f32 = 8.85;
const INTERCEPT: f32 = -3.35;
/// More words than this are no further evidence.
const MAX_COUNTED_WORDS: u16 = 9;

/// The index of declared tools.
///
/// 2,000 tools with 230 characters of text each take 75 ms to index and 4 MiB; with texts as long as toolsets
/// allow and few words in common, 31 MiB. `scripts/bench-search` prints the time, the size and the time of a
/// search.
#[derive(Debug)]
pub(super) struct DeclaredIndex {
    words: Bm25,
    letters: Bm25,
}

impl DeclaredIndex {
    /// Indexes names, descriptions, tags, examples and parameters.
    pub(super) fn new(documents: &mut [Document]) -> Self {
        for doc in &mut *documents {
            for list in [&mut doc.tags, &mut doc.examples, &mut doc.parameters] {
                bound(list, MAX_LIST_CHARS);
            }
        }
        let lexicon = Lexicon::for_tools();
        let words = Bm25::new(Terms::Words, lexicon, documents);
        for doc in &mut *documents {
            doc.parameters.clear();
            bound(&mut doc.tags, MAX_NGRAM_CHARS);
            bound(&mut doc.examples, MAX_NGRAM_CHARS);
            if let Some((end, _)) = doc.description.char_indices().nth(MAX_NGRAM_CHARS) {
                doc.description.truncate(end);
            }
        }
        Self { words, letters: Bm25::new(Terms::Runs, lexicon, documents) }
    }

    /// Compares the tools with each other for one text. The rarity of a word is that among all actions and tools,
    /// because the tools alone are few.
    pub(super) fn clause_scores(&self, search: &Search, text: &str, open: &[bool]) -> ClauseScores {
        let text = AnalyzedText::new(Lexicon::for_tools(), text);
        let words = self.words.scores(&text, open, Some(&search.words));
        let letters = self.letters.scores(&text, open, Some(&search.letters));
        let [of_words, of_letters] = WEIGHTS;
        let parts = words.iter().zip(letters).map(|(word, letter)| of_words * word + of_letters * letter);
        let of_documents: Vec<f32> = parts.collect();
        let best = of_documents.iter().copied().fold(0.0, f32::max);
        ClauseScores { log_odds: Some(log_odds(best, &text)), of_documents }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.words.heap_bytes() + self.letters.heap_bytes()
    }
}

/// Drops the texts after the first `most` characters of all.
fn bound(texts: &mut Vec<String>, most: usize) {
    let mut left = Some(most);
    texts.retain(|text| {
        left = left.and_then(|left| left.checked_sub(text.chars().count()));
        left.is_some()
    });
}

/// Returns the log-odds that the tool with the best score serves a text.
fn log_odds(best: f32, text: &AnalyzedText) -> f32 {
    let words = text.words.iter().filter(|word| !text::is_function_word(word)).count();
    let words = u16::try_from(words).unwrap_or(u16::MAX).clamp(1, MAX_COUNTED_WORDS);
    INTERCEPT + SLOPE * best * f32::from(words).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_texts_are_kept() {
        let bounded = |most| {
            let mut texts = vec!["ab".to_owned(), "öö".to_owned(), "ccc".to_owned(), "d".to_owned()];
            bound(&mut texts, most);
            texts.len()
        };
        assert_eq!([0, 2, 3, 4, 6, 7, 8].map(bounded), [0, 1, 1, 2, 2, 3, 4]);
    }
}
