//! Texts of other people: cut, and without markup.

use std::borrow::Cow;

use toolcrib_engine::prelude::*;
use toolcrib_model::visible;

/// The longest overview of a title, in characters.
const MAX_OVERVIEW_CHARS: usize = 150;
/// The longest title, name or sentence, in characters.
const MAX_NAME_CHARS: usize = 200;

/// A text that other people wrote. Its schema says so, so that a model does not take it for instructions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, extend("x-untrusted" = "texts of media services"))]
pub struct Text(String);

impl Text {
    /// Cuts a text to a number of characters, at the end of a word where one is near.
    pub fn cut(text: &str, max: usize) -> Self {
        let text = text.trim();
        if text.chars().count() <= max {
            return Self(text.to_owned());
        }
        let cut: String = text.chars().take(max.saturating_sub(1)).collect();
        let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
        let kept = if whole.len() * 2 > cut.len() { whole } else { &cut };
        Self(format!("{}…", kept.trim_end_matches([',', ';', ':', ' '])))
    }

    /// Cuts a title, a name or a sentence.
    pub fn name(text: &str) -> Self {
        Self::cut(text, MAX_NAME_CHARS)
    }

    /// Cuts an overview. `None` if there is none.
    pub fn overview(text: &str) -> Option<Self> {
        Self::cut(text, MAX_OVERVIEW_CHARS).filled()
    }

    /// Cuts a word or a short text. `None` if there is none.
    pub fn word(text: &str) -> Option<Self> {
        Self::cut(text, 60).filled()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text for a sentence that people read: characters that hide or reorder text are code points.
    pub fn visible(&self) -> Cow<'_, str> {
        visible(&self.0)
    }

    pub fn into_string(self) -> String {
        self.0
    }

    /// Returns the text if it is not empty.
    pub fn filled(self) -> Option<Self> {
        Some(self).filter(|text| !text.0.is_empty())
    }
}

/// Removes tags, and replaces the character references that search engines write.
pub fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tag.split_once('>') {
            Some((_, after)) if is_tag => rest = after,
            _ => {
                plain.push('<');
                rest = tag;
            }
        }
    }
    plain.push_str(rest);
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(plain, |text, (reference, character)| text.replace(reference, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_words() {
        assert_eq!(Text::cut("  short ", 10).0, "short");
        assert_eq!(Text::cut("one two three", 10).0, "one two…");
        assert_eq!(Text::cut("ääääääääääää", 5).0, "ääää…");
        assert_eq!(Text::cut("a bbbbbbbbbbbb", 8).0, "a bbbbb…");
        assert_eq!((Text::overview(" "), Text::word("a b")), (None, Some(Text("a b".into()))));
        assert_eq!(Text::overview(&"ww ".repeat(200)).unwrap().0.chars().count(), 147);
    }

    #[test]
    fn markup_goes_and_text_stays() {
        assert_eq!(without_markup("<strong>Dune</strong> &amp; more"), "Dune & more");
        assert_eq!(without_markup("1 < 2 and <b"), "1 < 2 and <b");
        assert_eq!(without_markup("&amp;lt; it&#x27;s"), "&lt; it's");
    }
}
