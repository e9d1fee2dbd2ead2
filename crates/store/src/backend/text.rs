//! Full-text search with the same results on both databases. A text is split into words here when it is stored, the
//! database fetches candidates that share a word with the query, and [`rank()`] computes their scores and order.
//!
//! To make a table searchable: a `tokens` column filled by [`tokens`], an index in both schemas as for `memories`,
//! a function that fetches candidates as in `memories.rs`. On SQLite the full-text index comes first
//! (`CROSS JOIN`): otherwise the planner may scan the table and look up each row in the index.

mod rank;
mod snippet;

pub use rank::{Ranked, rank, scores};
pub use snippet::snippet;

use toolcrib_model::Id;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The most candidates that are ranked: the newest texts that share a word with the query.
pub const CANDIDATES: i64 = 500;
/// The most words of a query that are searched for; further words are ignored.
const QUERY_WORDS: usize = 32;
/// The most characters of a word that are compared; further ones are cut.
const WORD: usize = 64;

/// The words of a text: lower case, without accents, split at every character that is no letter or digit. In scripts
/// without spaces each character is a word.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut length = 0;
    let folded = text.chars().flat_map(fold).nfkd().filter(|c| !is_accent(*c)).nfc();
    for c in folded.flat_map(char::to_lowercase) {
        let alone = without_spaces(c);
        let inside = c.is_alphanumeric() || (!word.is_empty() && is_combining_mark(c));
        if (alone || !inside) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            length = 0;
        }
        if alone {
            words.push(c.to_string());
        } else if inside && length < WORD {
            word.push(c);
            length += 1;
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The value of the `tokens` column: the words of a text in order, separated by one space.
pub fn tokens(text: &str) -> String {
    words(text).join(" ")
}

/// The distinct words of a query, in order; empty if it has no letter or digit. A query has no syntax: quotes,
/// operators and asterisks only separate words.
pub fn query(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(text) {
        if found.len() < QUERY_WORDS && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// The FTS5 expression for texts of one scope that contain any of the words. Words consist of letters and digits, so
/// quotes need no escaping.
pub(crate) fn fts5(scope: Id, words: &[String]) -> String {
    format!("scope : \"{}\" AND tokens : (\"{}\")", scope.simple(), words.join("\" OR \""))
}

/// Replaces letters that Unicode normalisation keeps but people type as ASCII.
fn fold(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' | 'ẞ' => ('s', Some('s')),
        'æ' | 'Æ' => ('a', Some('e')),
        'œ' | 'Œ' => ('o', Some('e')),
        'ø' | 'Ø' => ('o', None),
        'ł' | 'Ł' => ('l', None),
        'ı' => ('i', None),
        'đ' | 'Đ' => ('d', None),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

const fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar letters.
fn without_spaces(c: char) -> bool {
    let block = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    block && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_forms_are_folded() {
        assert_eq!(
            words("Übersicht  CRÉÉ cre\u{301}e, Größe ﬁn!"),
            ["ubersicht", "cree", "cree", "grosse", "fin"]
        );
        assert_eq!(words("what's a_name? v2.0 İSTANBUL"), ["what", "s", "a", "name", "v2", "0", "istanbul"]);
        assert_eq!(words("東京 한국어 हिन्दी"), ["東", "京", "한국어", "हिन्दी"]);
        assert_eq!(tokens("  one\u{0}two \n three"), "one two three");
    }

    #[test]
    fn nothing_in_a_query_is_syntax() {
        assert_eq!(query("\" OR 1=1 --"), ["or", "1"]);
        assert_eq!(query("NEAR(a b) AND scope : x*"), ["near", "a", "b", "and", "scope", "x"]);
        assert_eq!(query("a' | 'b' & !c:*"), ["a", "b", "c"]);
        assert!(query("\"*' () ^-+").is_empty());
        let scope = Id::from_u128(0xab);
        assert_eq!(
            fts5(scope, &query("x\") OR scope : (\"y")),
            "scope : \"000000000000000000000000000000ab\" AND tokens : (\"x\" OR \"or\" OR \"scope\" OR \"y\")"
        );
    }

    #[test]
    fn words_and_queries_have_an_end() {
        assert_eq!(words(&"x".repeat(1_000)), ["x".repeat(WORD)]);
        let many: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
        assert_eq!(query(&many.join(" ")).len(), QUERY_WORDS);
        assert!(words("½ ﷺ ⅷ").iter().all(|word| word.chars().all(char::is_alphanumeric)));
    }
}
