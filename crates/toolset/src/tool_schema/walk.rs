//! Walks through a schema.

mod checks;

use serde_json::{Map, Value, json};
use toolcrib_model::count;

use crate::{
    defect::{below, quoted},
    limits::{MAX_PATTERNS, MAX_PROPERTIES, MAX_SCHEMA_DEPTH},
    note::{CheckReport, NoteKind},
    tool_schema::{SchemaPurpose, keywords::check_keywords},
};

/// The number of schemas after which the walk ends. References that are used many times can multiply.
const MAX_SCHEMAS: usize = 2_000;

/// Whether a schema describes a whole value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It describes a whole value, so it has a type and bounds.
    Whole,
    /// It adds a condition to a value that another schema describes.
    Condition,
}

pub struct SchemaWalk<'a> {
    root: &'a Value,
    purpose: SchemaPurpose,
    at: &'a str,
    report: &'a mut CheckReport,
    /// The references that are being inlined.
    open: Vec<String>,
    schemas: usize,
    properties: usize,
    patterns: usize,
}

impl<'a> SchemaWalk<'a> {
    /// Begins a walk. `at` is the pointer of the schema in the document.
    pub fn new(root: &'a Value, purpose: SchemaPurpose, at: &'a str, report: &'a mut CheckReport) -> Self {
        Self { root, purpose, at, report, open: Vec::new(), schemas: 0, properties: 0, patterns: 0 }
    }

    /// Returns the normalised schema.
    pub fn root(&mut self) -> Value {
        let mut schema = self.root.clone();
        if let Some(object) = schema.as_object_mut()
            && self.purpose == SchemaPurpose::Parameters
        {
            for key in ["anyOf", "oneOf", "allOf", "not", "$ref", "enum", "const"] {
                if object.shift_remove(key).is_some() {
                    let message = "not possible at the root; list the parameters in `properties`";
                    self.report.defect(below(self.at, key), message);
                }
            }
            if object.get("type").is_some_and(|kind| kind != "object") {
                self.report.defect(below(self.at, "type"), "must be `object`: parameters have names");
            }
            if object.get("additionalProperties").is_some_and(|value| value != &json!(false)) {
                let message = "must be `false`: every parameter has a name";
                self.report.defect(below(self.at, "additionalProperties"), message);
                object.insert("additionalProperties".into(), json!(false));
            }
            object.insert("type".into(), json!("object"));
            object.entry("properties").or_insert_with(|| json!({}));
        }
        let at = self.at.to_owned();
        self.visit(&schema, &at, 1, Part::Whole)
    }

    /// Checks the totals.
    pub fn finish(self) {
        if self.properties > MAX_PROPERTIES {
            let found = count(self.properties, "property");
            self.report.defect(self.at, format!("has {found}; at most {MAX_PROPERTIES} are possible"));
        }
        if self.patterns > MAX_PATTERNS {
            let found = count(self.patterns, "pattern");
            self.report.defect(self.at, format!("has {found}; at most {MAX_PATTERNS} are possible"));
        }
    }

    fn visit(&mut self, schema: &Value, at: &str, depth: usize, part: Part) -> Value {
        self.schemas += 1;
        if depth > MAX_SCHEMA_DEPTH || self.schemas > MAX_SCHEMAS || self.report.defects.is_full() {
            if depth > MAX_SCHEMA_DEPTH {
                self.report.defect(at, format!("is nested deeper than {MAX_SCHEMA_DEPTH} levels"));
            } else if self.schemas == MAX_SCHEMAS + 1 {
                let message = format!("has more than {MAX_SCHEMAS} parts with its references inlined");
                self.report.defect(self.at, message);
            }
            return json!({});
        }
        let Some(object) = schema.as_object() else {
            self.report.defect(at, "must be a schema: an object with a `type`");
            return json!({});
        };
        let mut object = object.clone();
        check_keywords(&mut object, at, self.report);
        if let Some(Value::String(reference)) = object.shift_remove("$ref") {
            return self.inline(&reference, object, at, depth, part);
        }
        for key in ["$defs", "definitions", "$schema", "$comment"] {
            object.shift_remove(key);
        }
        self.visit_parts(&mut object, at, depth, part);
        self.check_pattern(&object, at);
        if part == Part::Whole {
            self.complete(&mut object, at);
        }
        let schema = Value::Object(object);
        self.check_default(&schema, at);
        schema
    }

    /// Replaces a reference by what it refers to. Keywords beside the reference take precedence.
    fn inline(
        &mut self,
        reference: &str,
        beside: Map<String, Value>,
        at: &str,
        depth: usize,
        part: Part,
    ) -> Value {
        let ref_at = below(at, "$ref");
        let Some(pointer) = reference.strip_prefix('#') else {
            self.report
                .defect(ref_at, "refers to another document; only `#/$defs/…` of this schema is possible");
            return json!({});
        };
        let Some(target) = self.root.pointer(pointer).and_then(Value::as_object) else {
            self.report.defect(ref_at, format!("{} is no schema of this document", quoted(reference)));
            return json!({});
        };
        if pointer.is_empty() || self.open.iter().any(|open| open == pointer) {
            self.report.defect(ref_at, "is recursive; write the levels that are needed");
            return json!({});
        }
        self.report.note(NoteKind::ReferenceInlined, ref_at, format!("{} was inlined", quoted(reference)));
        let mut merged = target.clone();
        merged.extend(beside);
        self.open.push(pointer.to_owned());
        let target_at = format!("{}{pointer}", self.at);
        let inlined = self.visit(&Value::Object(merged), &target_at, depth, part);
        self.open.pop();
        inlined
    }

    fn visit_parts(&mut self, object: &mut Map<String, Value>, at: &str, depth: usize, part: Part) {
        let has_type = object.contains_key("type");
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            for (name, property) in properties.iter_mut() {
                let at = below(&below(at, "properties"), name);
                self.check_property(name, property, &at);
                *property = self.visit(property, &at, depth + 1, part);
            }
        }
        for key in ["items", "additionalProperties"] {
            if let Some(schema) = object.get_mut(key).filter(|schema| schema.is_object()) {
                *schema = self.visit(schema, &below(at, key), depth + 1, part);
            }
        }
        for key in ["not", "propertyNames"] {
            if let Some(schema) = object.get_mut(key) {
                *schema = self.visit(schema, &below(at, key), depth + 1, Part::Condition);
            }
        }
        for key in ["prefixItems", "anyOf", "oneOf", "allOf"] {
            let Some(Value::Array(options)) = object.get_mut(key) else { continue };
            for (position, option) in options.iter_mut().enumerate() {
                let adds = has_type && option.get("properties").is_none();
                let condition = key == "allOf" || (key != "prefixItems" && adds);
                let part = if condition { Part::Condition } else { part };
                *option = self.visit(option, &below(&below(at, key), position), depth + 1, part);
            }
        }
    }
}
