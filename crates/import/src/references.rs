//! References inside an OpenAPI document.

use percent_encoding::percent_decode_str;
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
        // A pointer stands in a URL.
        let decoded = || self.root.pointer(&percent_decode_str(pointer).decode_utf8_lossy());
        let found = self.root.pointer(pointer).or_else(decoded);
        found.ok_or_else(|| format!("refers to {}, which does not exist", quoted(reference)))
    }
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
