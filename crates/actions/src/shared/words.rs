//! Helpers for the sentences that describe calls.

use std::fmt::Display;

/// Returns at most `most` characters of the first line, with `…` if the text was cut.
pub fn short(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    if line.chars().count() <= most && line.len() == text.trim().len() {
        return line.to_owned();
    }
    let mut out: String = line.chars().take(most.saturating_sub(1)).collect();
    out.push('…');
    out
}

/// Returns a number with its noun: ``1 task``, ``3 tasks`` or ``2 entries``.
pub fn count(number: impl Display, word: &str) -> String {
    let number = number.to_string();
    match word.strip_suffix("ry") {
        _ if number == "1" => format!("1 {word}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {word}s"),
    }
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

    #[test]
    fn a_count_has_its_plural() {
        let got = [count(1_usize, "task"), count(0_i64, "task"), count(1, "entry"), count(2, "entry")];
        assert_eq!(got, ["1 task", "0 tasks", "1 entry", "2 entries"]);
    }
}
