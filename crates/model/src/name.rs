//! Names of agents and playbooks, which people distinguish by name alone, and of people.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::{characters, is_private_use};

/// A name with this many digits is treated as a telephone number, because users of messengers may have their
/// number as name.
const TELEPHONE_DIGITS: usize = 7;

/// Returns the name as it is stored: in NFC. The error is the first control, direction-changing, invisible or
/// private-use character; fonts show the private-use ones differently.
pub fn kept_name(name: &str) -> Result<String, char> {
    match characters(name).find(|(c, hidden)| *hidden || is_private_use(*c)) {
        Some((c, _)) => Err(c),
        None => Ok(nfc(name).into_owned()),
    }
}

/// Returns the key by which names are compared: in NFC and lower case, without the variation selectors that
/// choose between the text and the emoji form of a character.
pub fn name_key(name: &str) -> String {
    nfc(name).to_lowercase().replace(['\u{fe0e}', '\u{fe0f}'], "")
}

/// Returns the display name of a person, unless it is empty or looks like a telephone number.
pub fn person_name(name: Option<&str>) -> Option<&str> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    (name.chars().filter(|c| c.is_numeric()).count() < TELEPHONE_DIGITS).then_some(name)
}

fn nfc(text: &str) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_and_compared_in_nfc() {
        assert_eq!(kept_name("Cafe\u{301}"), Ok("Café".to_owned()));
        assert_eq!(name_key("CAFE\u{301}"), name_key("café"));
        assert_eq!(name_key("Researcher"), "researcher");
        for heart in ["❤\u{fe0f}", "❤\u{fe0e}"] {
            assert_eq!(name_key(heart), name_key("❤"));
            assert_eq!(kept_name(heart), Ok(heart.to_owned()));
        }
    }

    #[test]
    fn a_name_holds_no_character_that_nobody_sees() {
        for c in
            "\u{0}\n\u{ad}\u{200b}\u{200d}\u{202e}\u{2066}\u{2800}\u{e000}\u{feff}\u{e0041}\u{10fffd}".chars()
        {
            assert_eq!(kept_name(&format!("Resear{c}cher")), Err(c));
        }
        for name in ["👩\u{200d}💻 Coder", "❤\u{fe0f}", "می\u{200c}خواهم", "日本語", "Ω λ"]
        {
            assert_eq!(kept_name(name), Ok(name.to_owned()));
        }
    }

    #[test]
    fn nobody_is_called_by_a_number() {
        for name in [
            None,
            Some(""),
            Some("  "),
            Some("+49 170 1234567"),
            Some("Anna (0170/1234567)"),
            Some("٠١٢٣٤٥٦٧"),
            Some("Anna 1234567"),
        ] {
            assert_eq!(person_name(name), None, "{name:?}");
        }
        assert_eq!(person_name(Some(" Anna 2 ")), Some("Anna 2"));
        assert_eq!(person_name(Some("Anna 123456")), Some("Anna 123456"));
    }
}
