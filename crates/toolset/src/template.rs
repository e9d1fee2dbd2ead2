//! Texts with places for parameters (`{x}`) and for parts of a response (`{/x}`).

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart<'a> {
    /// Text that stays as it is.
    Text(&'a str),
    Parameter(&'a str),
    /// The value at a JSON pointer into the response.
    Pointer(&'a str),
}

/// Splits a template into its parts. The error says what is wrong with its braces.
pub fn template_parts(text: &str) -> Result<Vec<TemplatePart<'_>>, &'static str> {
    const UNBALANCED: &str =
        "has a `{` or `}` without its counterpart; braces are for parameters, such as `{id}`";
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        if !before.is_empty() {
            parts.push(TemplatePart::Text(before));
        }
        let inside = behind.strip_prefix('{').ok_or(UNBALANCED)?;
        let (name, after) = inside.split_once('}').ok_or(UNBALANCED)?;
        if name.contains('{') {
            return Err(UNBALANCED);
        }
        if name.is_empty() {
            return Err("has `{}` without the name of a parameter");
        }
        parts.push(if name.starts_with('/') {
            TemplatePart::Pointer(name)
        } else {
            TemplatePart::Parameter(name)
        });
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(TemplatePart::Text(rest));
    }
    Ok(parts)
}

pub fn is_pointer(text: &str) -> bool {
    let escapes = |(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1'));
    (text.is_empty() || text.starts_with('/')) && text.match_indices('~').all(escapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_split_into_parts() {
        use TemplatePart::{Parameter, Pointer, Text};
        let parts = [Text("Ticket "), Parameter("id"), Text(": "), Pointer("/a/b")];
        assert_eq!(template_parts("Ticket {id}: {/a/b}").unwrap(), parts);
        assert_eq!(template_parts("").unwrap(), []);
        for wrong in ["{", "}", "a}b{c", "{a{b}}", "{}", "{a}}"] {
            assert!(template_parts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pointers_begin_with_a_slash() {
        assert!(["", "/a", "/a~0b/~1"].iter().all(|text| is_pointer(text)));
        assert!(["a", "/a~", "/~2"].iter().all(|text| !is_pointer(text)));
    }
}
