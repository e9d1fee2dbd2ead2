//! The checks of one schema in a walk.

use regex::RegexBuilder;
use serde_json::{Map, Value, json};
use toolcrib_registry::InputSchema;

use super::SchemaWalk;
use crate::{
    defect::below,
    limits::MAX_PATTERN_BYTES,
    note::NoteKind,
    tool_schema::{
        SchemaPurpose,
        bounds::{bound, types_of},
        sensitive::is_named_secret,
    },
};

impl SchemaWalk<'_> {
    pub(super) fn check_property(&mut self, name: &str, property: &Value, at: &str) {
        self.properties += 1;
        if self.purpose != SchemaPurpose::Parameters {
            return;
        }
        let valid = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(valid) {
            self.report.defect(at, "a parameter's name is 1 to 64 letters, digits, `_`, `-` and `.`");
        }
        let marked = property.get("x-sensitive").is_some();
        if is_named_secret(name, property) && !marked {
            let message = "has the name of a secret; add `x-sensitive = true`, or rename it";
            self.report.defect(at, message);
        }
    }

    pub(super) fn check_pattern(&mut self, object: &Map<String, Value>, at: &str) {
        let Some(pattern) = object.get("pattern").and_then(Value::as_str) else { return };
        self.patterns += 1;
        if let Err(error) = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build() {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message =
                format!("must be a regular expression without look-around and back-references: {last}");
            self.report.defect(below(at, "pattern"), message);
        }
    }

    /// Adds the type and the bounds that a schema of a whole value must have.
    pub(super) fn complete(&mut self, object: &mut Map<String, Value>, at: &str) {
        if !object.contains_key("type") && object.contains_key("properties") {
            object.insert("type".into(), json!("object"));
            self.report.note(NoteKind::TypeAdded, at, "the schema with properties got the type `object`");
        }
        let types = types_of(object, at, self.report);
        // A schema that admits any value says so.
        let says =
            ["type", "enum", "const", "anyOf", "oneOf", "x-free"].iter().any(|key| object.contains_key(*key));
        if !says {
            self.report.defect(at, "admits any value; add a `type`, or `x-free = true` if it is meant so");
        }
        bound(object, &types, at, self.report);
    }

    pub(super) fn check_default(&mut self, schema: &Value, at: &str) {
        let Some(default) = schema.get("default") else { return };
        if self.report.defects.is_within(at) {
            return;
        }
        // The walk's own defects say why a schema does not compile.
        let Ok(compiled) = InputSchema::new(schema.clone()) else { return };
        if let Some(error) = compiled.check(&mut default.clone()).first() {
            let message = format!("does not match its own schema: {}", error.message);
            self.report.defect(below(at, "default"), message);
        }
    }
}
