//! Regular expressions of documents, which are written for other engines.

use regex::RegexBuilder;
use serde_json::json;
use toolcrib_registry::InputSchema;

use super::SchemaReader;
use crate::{
    import::limits::MAX_PATTERN_LENGTH,
    limits::{MAX_PATTERN_BYTES, MAX_PATTERNS},
    text::hidden_character,
};

impl SchemaReader<'_> {
    /// Returns the pattern if a tool's schema can have it.
    pub(super) fn pattern<'p>(&mut self, pattern: &'p str) -> Option<&'p str> {
        if self.patterns < MAX_PATTERNS && is_possible(pattern) {
            self.patterns += 1;
            return Some(pattern);
        }
        self.note("a pattern that can't be checked was dropped");
        None
    }
}

fn is_possible(pattern: &str) -> bool {
    pattern.len() <= MAX_PATTERN_LENGTH
        && hidden_character(pattern, false).is_none()
        && RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build().is_ok()
        && InputSchema::new(json!({ "type": "string", "pattern": pattern })).is_ok()
}
