//! References inside an OpenAPI document.

use std::borrow::Cow;

use serde_json::Value;
use toolcrib_toolset::quoted;

use crate::limits::MAX_HOPS;

/// The document that references point into.
#[derive(Clone, Copy)]
pub struct DocumentReferences<'a> {
    root: &'a Value,
}

impl<'a> DocumentReferences<'a> {
    pub fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// Follows the references of a value. The error says which one leads nowhere.
    pub fn resolve(self, value: &'a Value) -> Result<&'a Value, String> {
        let mut value = value;
        for _ in 0..MAX_HOPS {
            match value.get("$ref").and_then(Value::as_str) {
                None => return Ok(value),
                Some(reference) => value = self.target(reference)?,
            }
        }
        Err(format!("follows more than {MAX_HOPS} references"))
    }

    pub fn target(self, reference: &str) -> Result<&'a Value, String> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!("refers to {}, which is another document", quoted(reference)));
        };
        let found = self.root.pointer(pointer).or_else(|| self.root.pointer(&percent_decoded(pointer)));
        found.ok_or_else(|| format!("refers to {}, which does not exist", quoted(reference)))
    }
}

/// Decodes the percent-encoded bytes of a pointer, which stands in a URL.
fn percent_decoded(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains('%') {
        return Cow::Borrowed(pointer);
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_inside_the_document() {
        let root = json!({ "a": { "$ref": "#/b" }, "b": { "/x{y}": 1 }, "loop": { "$ref": "#/loop" } });
        let references = DocumentReferences::new(&root);
        assert_eq!(references.resolve(&root["a"]), Ok(&root["b"]));
        assert_eq!(references.target("#/b/~1x%7By%7D"), Ok(&json!(1)));
        for (reference, words) in
            [("other.yaml#/x", "another document"), ("#/none", "does not exist"), ("#/b/%zz%", "not exist")]
        {
            assert!(references.target(reference).unwrap_err().contains(words), "{reference}");
        }
        assert!(references.resolve(&root["loop"]).unwrap_err().contains("16 references"));
    }
}
