//! Numbers with their nouns.

use std::fmt::Display;

/// Returns the number with the noun in the singular or plural: ``1 task``, ``3 tasks``, ``2 entries``.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    if number == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_its_plural() {
        let got = [
            count(1_usize, "task"),
            count(0_i64, "task"),
            count(1, "entry"),
            count(2, "entry"),
            count(2, "key"),
        ];
        assert_eq!(got, ["1 task", "0 tasks", "1 entry", "2 entries", "2 keys"]);
    }
}
