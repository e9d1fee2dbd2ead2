//! Normalizes text for comparison: folds case and accents, splits into words, stems the words.

use std::ops::Range;

/// The number of characters of a text that are read. Bounds the time of a search.
const MAX_CHARACTERS: usize = 2_000;
/// The number of words of a text that are read.
const MAX_WORDS: usize = 400;
/// The maximum length of a word. The rest of a longer word is dropped.
const MAX_WORD: usize = 32;

/// Suffixes of English, Spanish, German, French, Italian and Portuguese inflection, longest first.
const SUFFIXES: &[&str] = &[
    "ations", "ation", "ings", "ing", "edly", "ers", "er", "ed", "es", "ly", "en", "em", "e", "s", "a", "o",
    "i",
];
/// The minimum length of a stem, in bytes.
const SHORTEST_STEM: usize = 4;

/// Returns the start of a text, at most [`MAX_CHARACTERS`] long.
pub(crate) fn cut(text: &str) -> &str {
    let text = text.trim();
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => text.get(..end).unwrap_or_default(),
        None => text,
    }
}

/// Returns the words of a text in lower case, without accents, split at everything but letters and digits.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in cut(text).chars() {
        if words.len() == MAX_WORDS {
            return words;
        }
        if c.is_alphanumeric() {
            if word.len() < MAX_WORD {
                push_folded(c, &mut word);
            }
        } else if !word.is_empty() && !is_combining(c) {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns the bytes of each word of a text, split as by [`words`].
pub(crate) fn word_ranges(text: &str) -> Vec<Range<usize>> {
    let cut = cut(text);
    let before = text.len() - text.trim_start().len();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut in_word = false;
    for (at, c) in cut.char_indices() {
        let letter = c.is_alphanumeric() || (in_word && is_combining(c));
        let end = before + at + c.len_utf8();
        match ranges.last_mut() {
            Some(word) if letter && in_word => word.end = end,
            _ if letter => ranges.push(before + at..end),
            _ => {}
        }
        in_word = letter;
    }
    ranges.truncate(MAX_WORDS);
    ranges
}

/// Returns the stem of a folded word.
pub(crate) fn stem(word: &str) -> &str {
    for suffix in SUFFIXES {
        if let Some(rest) = word.strip_suffix(suffix)
            && rest.len() >= SHORTEST_STEM
        {
            return rest;
        }
    }
    word
}

/// Returns the stems of a text's words.
pub(crate) fn stems(text: &str) -> Vec<String> {
    words(text).iter().map(|word| stem(word).to_owned()).collect()
}

/// Function words: words with a grammatical role only.
const FUNCTION_WORDS: &str = " a an the of for to in on at by is are was be and or with from that this it its as i me my \
    you your we our can could would please want need like what which how do does did will if using use given s t m any \
    some all not ";
/// The length of the longest function word, in bytes.
const MAX_FUNCTION_WORD_BYTES: usize = 6;

/// Returns whether a folded word is a function word.
pub(crate) fn is_function_word(word: &str) -> bool {
    let short = word.len() <= MAX_FUNCTION_WORD_BYTES;
    short && holds(FUNCTION_WORDS, word)
}

/// Returns whether a list, in which blanks separate the words, has a word.
pub(crate) fn holds(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

/// Splits a name into words, whatever its style: `findMovies_v2`, `get.HTTPStatus`, `list-all`.
pub(crate) fn split_name(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(i + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if starts {
            out.push(' ');
        }
        out.push(if c.is_alphanumeric() { *c } else { ' ' });
    }
    out
}

const fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn push_folded(c: char, out: &mut String) {
    for c in c.to_lowercase() {
        let plain = match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
            'ç' | 'ć' | 'č' => 'c',
            'ď' => 'd',
            'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
            'ğ' => 'g',
            'ì'..='ï' | 'ī' | 'ı' => 'i',
            'ł' => 'l',
            'ñ' | 'ń' | 'ň' => 'n',
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
            'ř' => 'r',
            'ś' | 'š' | 'ş' => 's',
            'ß' => {
                out.push_str("ss");
                continue;
            }
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
            'ý' | 'ÿ' => 'y',
            'ź' | 'ż' | 'ž' => 'z',
            'æ' => {
                out.push_str("ae");
                continue;
            }
            'œ' => {
                out.push_str("oe");
                continue;
            }
            other if is_combining(other) => continue,
            other => other,
        };
        out.push(plain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_are_folded_in_either_form() {
        assert_eq!(words("Übersicht  CRÉÉ cre\u{301}e, Größe!"), ["ubersicht", "cree", "cree", "grosse"]);
        assert_eq!(words("what's a_name?"), ["what", "s", "a", "name"]);
    }

    #[test]
    fn names_are_split_where_their_words_join() {
        for name in ["findMovies_v2", "find.movies-v2", "FindMovies v2"] {
            assert_eq!(words(&split_name(name)), ["find", "movies", "v2"], "{name}");
        }
        assert_eq!(words(&split_name("getHTTPStatus")), ["get", "http", "status"]);
    }

    #[test]
    fn inflections_share_a_stem() {
        assert_eq!(stem("agents"), stem("agent"));
        assert_eq!(stem("scheduling"), stem("scheduled"));
        assert_eq!(stem("documento"), stem("documents"));
        assert_eq!(stem("logs"), "logs", "short words keep their ends");
    }

    #[test]
    fn function_words_are_told_apart() {
        assert!(FUNCTION_WORDS.split_ascii_whitespace().all(is_function_word));
        assert!(!["", "ticket", "whatever", "pleas"].into_iter().any(is_function_word));
    }

    #[test]
    fn ranges_are_those_of_the_words() {
        let text = "  what's Übersicht, cre\u{301}e?";
        let found: Vec<String> = word_ranges(text).into_iter().map(|range| text[range].to_owned()).collect();
        assert_eq!(found.iter().flat_map(|word| words(word)).collect::<Vec<_>>(), words(text));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut(&"é".repeat(100_000)).chars().count(), MAX_CHARACTERS);
        assert_eq!(words(&"a ".repeat(100_000)).len(), MAX_WORDS);
        assert!(words("   ").is_empty());
    }
}
