//! Texts of other people: without hidden characters and secrets, and cut to a length.

use toolcrib_model::{characters, is_private_use};
use toolcrib_toolset::{hidden_character, looks_secret};

/// Returns a text of several lines, with at most `most` characters.
pub fn clean_lines(text: &str, most: usize) -> String {
    let text = text.replace("\r\n", "\n");
    clean(text.trim(), most, true)
}

/// Returns a text in one line, with at most `most` characters.
pub fn clean_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    clean(&words.join(" "), most, false)
}

/// Returns whether a text can stand in a document as it is: it has no hidden character and looks like no secret.
pub fn is_clean(text: &str) -> bool {
    hidden_character(text, false).is_none() && !looks_secret(text)
}

fn clean(text: &str, most: usize, lines: bool) -> String {
    let shown = without_hidden(text.to_owned(), lines);
    let cut = cut(without_secrets(&shown), most);
    // A cut may separate a joiner from what it joins.
    without_hidden(cut, lines).trim().to_owned()
}

/// Removes the hidden characters. What is hidden depends on the characters beside it, so a removal may hide others.
fn without_hidden(mut text: String, lines: bool) -> String {
    for _ in 0..4 {
        if hidden_character(&text, lines).is_none() {
            return text;
        }
        let stays = |c: char| lines && matches!(c, '\n' | '\t');
        let kept = characters(&text).filter(|(c, hides)| stays(*c) || !(*hides || is_private_use(*c)));
        text = kept.map(|(c, _)| c).collect();
    }
    text.retain(|c| c == '\n' || c == ' ' || c.is_alphanumeric() || c.is_ascii_graphic());
    text
}

fn without_secrets(text: &str) -> String {
    if !looks_secret(text) {
        return text.to_owned();
    }
    let text = text.replace("-----BEGIN", "BEGIN");
    let words = text.split_inclusive([' ', '\n', '\t']);
    let shown = words.map(|word| {
        if looks_secret(word) {
            let end = word.trim_start_matches(|c: char| !matches!(c, ' ' | '\n' | '\t'));
            format!("…{end}")
        } else {
            word.to_owned()
        }
    });
    shown.collect()
}

/// Cuts a text to `most` characters, between words where possible.
fn cut(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let short: String = text.chars().take(most.saturating_sub(1)).collect();
    let words = short.rsplit_once(char::is_whitespace).map(|(before, _)| before);
    let kept = words.filter(|before| before.len() > short.len() / 2).unwrap_or(&short);
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_and_secrets_are_removed() {
        assert_eq!(clean_lines("One.\r\nTwo\u{200b}\u{202e}\u{e000}.\u{1b}", 100), "One.\nTwo.");
        assert_eq!(clean_line(" One.\r\n\tTwo. ", 100), "One. Two.");
        assert_eq!(
            clean_line("👩\u{200d}💻 a\u{200d}b می\u{200c}خواهم", 100),
            "👩\u{200d}💻 ab می\u{200c}خواهم"
        );
        let secret = format!("Use ghp_{} here", "16C7e42F292c6912E7710c838347Ae178B4a");
        assert_eq!(clean_line(&secret, 100), "Use … here");
        assert!(!is_clean(&secret) && !is_clean("a\u{200b}") && !is_clean("a\nb") && is_clean("a b"));
    }

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(clean_line("one two three", 13), "one two three");
        assert_eq!(clean_line("one two three", 12), "one two…");
        assert_eq!(clean_line(&"x".repeat(20), 10), format!("{}…", "x".repeat(9)));
        assert_eq!(clean_line("👩\u{200d}💻", 2), "👩…");
    }
}
