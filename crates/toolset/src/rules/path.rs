//! Paths that stay below the base of their upstream.

use crate::template::{TemplatePart, template_parts};

/// Returns why a path may leave its base. Placeholders count as one harmless letter.
pub fn wrong_path(path: &str) -> Option<&'static str> {
    let Ok(parts) = template_parts(path) else { return None };
    let literal: String = parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text,
            TemplatePart::Parameter(_) | TemplatePart::Pointer(_) => "x",
        })
        .collect();
    let lower = literal.to_ascii_lowercase();
    let first = literal.split('/').next().unwrap_or_default();
    if literal.starts_with('/') {
        Some("must be relative to the upstream's base URL; remove the leading `/`")
    } else if first.contains(':') {
        Some("must be relative to the upstream's base URL; it must not begin with a scheme")
    } else if literal.contains(['?', '#']) {
        Some("must not have a query or a fragment; use `query`")
    } else if literal.contains('\\') {
        Some("must not contain `\\`")
    } else if literal.contains("//") {
        Some("must not contain `//`")
    } else if ["%2e", "%2f", "%5c", "%00"].iter().any(|code| lower.contains(code)) {
        Some("must not contain percent-encoded dots, slashes or NUL")
    } else if literal.split('/').any(|segment| matches!(segment, "." | "..")) {
        Some("must not contain `.` or `..`, which leave the base URL")
    } else if !literal.chars().all(|c| c.is_ascii_graphic()) {
        Some("must be written in visible ASCII; percent-encode other characters")
    } else if !percent_codes_are_whole(&literal) {
        Some("has a `%` that begins no percent-encoded character")
    } else {
        None
    }
}

fn percent_codes_are_whole(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    text.match_indices('%').all(|(at, _)| is_hex(at + 1) && is_hex(at + 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    #[test]
    fn paths_that_leave_their_base_are_refused() {
        for path in [
            "/x",
            "//host/x",
            "https://host/x",
            "https:x",
            "a//b",
            "../x",
            "a/../b",
            "a/..",
            ".",
            "a/./b",
            "a\\b",
            "%2e%2e/x",
            "a/%2E%2e/b",
            "a%2fb",
            "a%5Cb",
            "a?b",
            "a#b",
            "a b",
            "a\tb",
            "a\nb",
            "ä",
            "%zz",
            "a%",
        ] {
            assert!(wrong_path(path).is_some(), "{path}");
        }
        for path in ["", "tickets/{id}", "a/b.json", "a..b/..c", "a%20b", "tickets/{id}/close", "v1:run/x:y"]
        {
            let first_has_colon = path.split('/').next().unwrap().contains(':');
            assert_eq!(wrong_path(path).is_some(), first_has_colon, "{path}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_path_stays_below_its_base(path in "[a-z./%2e5c:?#@\\\\ \\n{}-]{0,24}") {
            let plain = path.replace(['{', '}'], "");
            if wrong_path(&plain).is_none() {
                let base = Url::parse("https://api.example/v2/").unwrap();
                let joined = base.join(&plain).unwrap();
                prop_assert!(joined.as_str().starts_with("https://api.example/v2/"), "{}", joined);
                let segments = |url: &Url| url.path().split('/').count();
                prop_assert_eq!(segments(&joined), segments(&base) + plain.matches('/').count());
            }
        }
    }
}
