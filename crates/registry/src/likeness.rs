//! Finds known words that are similar to a word.

use strsim::osa_distance;

/// Longest part of a word that is compared, in characters.
const MAX_COMPARED_CHARS: usize = 64;

/// Returns the most similar known word, if it is similar enough to be named in an error.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let scored = known.iter().map(|name| (edit_distance(&word, name), *name));
    scored.filter(|(d, name)| *d <= 1 + name.len() / 4).min().map(|(_, name)| name)
}

/// Returns the known word that is at most two edits away, if it is the only one. In a word of up to four letters, one
/// edit counts.
pub fn only_similar<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.chars().take(MAX_COMPARED_CHARS).count();
    let given = letters(word);
    // Each letter more is an edit, and letters are counted sooner than words are compared.
    let near = known.into_iter().filter(|name| letters(name).abs_diff(given) <= 2);
    let mut similar = near.map(|name| (edit_distance(word, name), name)).filter(|(d, _)| *d <= 2);
    let (d, name) = similar.next()?;
    let likely = d <= if name.len() <= 4 { 1 } else { 2 };
    (likely && similar.next().is_none()).then_some(name)
}

/// Returns the number of edits between two words, of which the first 64 characters are compared. Two letters that are
/// swapped are one edit.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let cut = |text: &str| text.chars().take(MAX_COMPARED_CHARS).collect::<String>();
    osa_distance(&cut(a), &cut(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_slips_only() {
        assert_eq!(nearest("agnet", &["agent", "limit"]), Some("agent"));
        assert_eq!(nearest("is_admin", &["agent", "limit"]), None);
    }

    #[test]
    fn one_word_within_two_edits_is_the_only_similar_one() {
        assert_eq!(only_similar("titel", ["title", "tags"]), Some("title"));
        assert_eq!(only_similar("list_agent", ["list_agents", "get_agent"]), Some("list_agents"));
        assert_eq!(only_similar("desc", ["description"]), None);
    }

    #[test]
    fn two_words_within_two_edits_are_not_told_apart() {
        assert_eq!(only_similar("pat_agent", ["put_agent", "get_agent"]), None);
    }

    #[test]
    fn short_words_have_one_edit() {
        assert_eq!(only_similar("any", ["day", "month"]), None);
        assert_eq!(only_similar("dya", ["day", "month"]), Some("day"));
    }
}
