//! Helpers for the sentences that describe calls.

use toolcrib_model::count;

/// The number of characters of a query that the description of the result quotes.
const MAX_QUOTE_CHARS: usize = 200;

/// Describes the result of a search, such as ``Found 2 passages for `refunds` ``.
pub fn found(items: usize, noun: &str, query: &str) -> String {
    format!("Found {} for `{}`", count(items, noun), short(query, MAX_QUOTE_CHARS))
}

/// At most `most` characters of the first line, with `…` where something was cut.
pub fn short(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    if line.chars().count() <= most && line.len() == text.trim().len() {
        return line.to_owned();
    }
    let mut out: String = line.chars().take(most.saturating_sub(1)).collect();
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_a_line_or_a_length() {
        assert_eq!(short(" plain ", 10), "plain");
        assert_eq!(short("first\nsecond", 10), "first…");
        assert_eq!(short("äöüäöü", 4), "äöü…");
    }
}
