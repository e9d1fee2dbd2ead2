//! Splits a long text into clauses and weighs them by how much they sound like a request.
//!
//! The clauses overlap: sentences, the parts of long sentences between commas, and windows of long parts
//! without commas. Each word is in at most five of them, so that the time is linear in the length of the text.

mod cues;

use crate::text;
use cues::log_weight;

/// A text with fewer words has no clauses: it is short enough to be one request.
const SHORT_TEXT: usize = 16;
/// A sentence with more words is also split at commas, brackets and dashes.
const LONG_SENTENCE: usize = 14;
/// A part with more words is also split into windows.
const LONG_PART: usize = 24;
/// The number of words of a window. The next window starts in the middle of the one before.
const WINDOW: usize = 14;
/// A part with fewer words is joined to the next part.
const SHORTEST: usize = 4;

/// The number of words of a text that are searched as a whole, beside its clauses.
const WHOLE_WORDS: usize = 96;
/// The number of sentences and parts that are returned, beside the windows. Bounds the time of a search.
const MAX_CLAUSES: usize = 20;

/// The logarithm of the weight of a part, relative to a sentence.
const PART: f32 = -0.9;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clause<'a> {
    /// The words as they were written.
    pub(crate) text: &'a str,
    /// The logarithm of its weight: the higher, the more it sounds like a request.
    pub(crate) weight: f32,
}

/// Returns the clauses of a text: those sentences and parts that sound most like a request, and all windows,
/// because without marks a request is hard to tell. Empty for a short text.
pub(crate) fn split(input: &str) -> Vec<Clause<'_>> {
    let input = text::cut(input);
    let (mut clauses, mut all_windows) = (Vec::new(), Vec::new());
    if count_words(input) < SHORT_TEXT {
        return clauses;
    }
    for sentence in parts(input, ends_sentence) {
        clauses.push(Clause { text: sentence, weight: log_weight(sentence) });
        if count_words(sentence) <= LONG_SENTENCE {
            continue;
        }
        let between = parts(sentence, |c, _| matches!(c, ',' | ';' | ':' | '–' | '—' | '(' | ')'));
        let part = |text| Clause { text, weight: log_weight(text) + PART };
        let long = between.iter().filter(|part| count_words(part) > LONG_PART);
        all_windows.extend(long.flat_map(|part| windows(part)).map(part));
        if between.len() > 1 {
            clauses.extend(between.into_iter().map(part));
        }
    }
    clauses.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    clauses.truncate(MAX_CLAUSES);
    clauses.extend(all_windows);
    clauses
}

/// Returns the start of a text, at most [`WHOLE_WORDS`] words.
pub(crate) fn start(input: &str) -> &str {
    let end = text::word_ranges(input).get(WHOLE_WORDS).map(|word| word.start);
    end.and_then(|end| input.get(..end)).unwrap_or(input)
}

fn ends_sentence(c: char, next: Option<char>) -> bool {
    c == '\n' || (matches!(c, '.' | '!' | '?' | '…') && next.is_none_or(char::is_whitespace))
}

/// Splits after each character for which `ends` is true, given the next character. Joins a short part to the
/// next.
fn parts(input: &str, ends: impl Fn(char, Option<char>) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut words, mut in_word) = (0, 0, false);
    let mut chars = input.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        words += usize::from(c.is_alphanumeric() && !in_word);
        in_word = c.is_alphanumeric();
        if next.is_none() || (ends(c, next) && words >= SHORTEST) {
            let end = at + c.len_utf8();
            parts.extend(input.get(start..end).map(str::trim).filter(|_| words > 0));
            (start, words) = (end, 0);
        }
    }
    parts
}

/// Returns overlapping windows of a text.
fn windows(input: &str) -> Vec<&str> {
    let mut before = ' ';
    let starts_word = |(at, c): (usize, char)| {
        let starts = before.is_whitespace() && !c.is_whitespace();
        before = c;
        starts.then_some(at)
    };
    let starts: Vec<usize> = input.char_indices().filter_map(starts_word).collect();
    let last = starts.len().saturating_sub(WINDOW / 2);
    let window = |i: usize| {
        let end = starts.get(i + WINDOW).copied().unwrap_or(input.len());
        input.get(*starts.get(i)?..end).map(str::trim_end)
    };
    (0..last.max(1)).step_by(WINDOW / 2).filter_map(window).collect()
}

fn count_words(input: &str) -> usize {
    text::word_ranges(input).len()
}

#[cfg(test)]
mod tests;
