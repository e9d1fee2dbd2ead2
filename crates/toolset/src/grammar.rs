//! The forms of names.

pub const SLUG_PATTERN: &str = "^[a-z][a-z0-9-]{1,19}$";
/// The form of a tool's name: no two underscores in a row, because these separate it from the slug.
pub const NAME_PATTERN: &str = "^[A-Za-z](?:_?[A-Za-z0-9-])*_?$";
/// The form of an upstream's name.
pub const UPSTREAM_PATTERN: &str = "^[a-z][a-z0-9_-]{0,39}$";
pub const PIN_PATTERN: &str = "^sha256:[0-9a-f]{64}$";

/// Returns what a value must be that does not match one of the patterns above.
pub fn pattern_words(pattern: &str) -> Option<&'static str> {
    Some(match pattern {
        SLUG_PATTERN => {
            "must be 2 to 20 lower-case letters, digits and `-`, starting with a letter, such as `desk`"
        }
        NAME_PATTERN => {
            "must be letters, digits, `-` and `_`, starting with a letter and without `__`, such as `get_ticket`"
        }
        UPSTREAM_PATTERN => {
            "must be 1 to 40 lower-case letters, digits, `-` and `_`, starting with a letter, such as `helpdesk`"
        }
        PIN_PATTERN => "must be `sha256:` and 64 hexadecimal digits, as discovery shows them",
        _ => return None,
    })
}

/// Returns the words of a name in lower case. Splits at `_`, `-`, `.`, spaces and before capitals.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for c in name.chars() {
        let splits = matches!(c, '_' | '-' | '.' | ' ');
        if splits || (c.is_uppercase() && before_is_lower) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !splits) {
            word.extend(c.to_lowercase());
        }
        before_is_lower = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a text is a media type without parameters, as RFC 6838 restricts it.
pub fn is_media_type(text: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    text.split_once('/').is_some_and(|(kind, name)| is_name(kind) && is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("get_ticket"), ["get", "ticket"]);
        assert_eq!(words("readYAMLFiles"), ["read", "yamlfiles"]);
        assert_eq!(words("apiKey"), ["api", "key"]);
        assert_eq!(words("__x-api key"), ["x", "api", "key"]);
    }
}
