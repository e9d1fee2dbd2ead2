//! Reads strings, numbers and booleans.

use regex::RegexBuilder;
use serde_json::{Map, Value, json};
use toolcrib_registry::{InputSchema, coerce_integers};
use toolcrib_toolset::{MAX_ENUM, MAX_PATTERN_BYTES, MAX_PATTERNS, hidden_character};

use super::{FlatSchema, SchemaReader, flat::type_of, object::bound};
use crate::{limits::MAX_PATTERN_LENGTH, texts::is_clean};

/// The formats of strings that JSON Schema defines. Others are hints for programs.
const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

impl<'a> SchemaReader<'a> {
    pub(super) fn scalar(&mut self, flat: &FlatSchema<'a>, types: &[&'a str]) -> Value {
        let mut object = Map::new();
        let kind = match types {
            [only] => json!(only),
            types => json!(types),
        };
        object.insert("type".into(), kind);
        if let Some(values) = self.values(flat, types) {
            object.insert("enum".into(), json!(values));
        } else {
            if types.contains(&"string") {
                self.string(flat, &mut object);
            }
            if types.iter().any(|kind| matches!(*kind, "integer" | "number")) {
                number(flat, &mut object);
            }
        }
        if flat.text("format") == "password" {
            object.insert("x-sensitive".into(), json!(true));
        }
        Value::Object(object)
    }

    /// Returns the values of an enum or a constant that have one of the types.
    fn values(&mut self, flat: &FlatSchema<'a>, types: &[&str]) -> Option<Vec<Value>> {
        let written: Vec<&Value> = match (flat.keyword("const"), flat.keyword("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(Value::Array(values))) => values.iter().collect(),
            _ => return None,
        };
        if written.len() > MAX_ENUM {
            self.note(format!("an enum with more than {MAX_ENUM} values was dropped"));
            return None;
        }
        let mut values: Vec<Value> = Vec::new();
        for value in written.into_iter().filter(|value| !value.is_null()) {
            if value.as_str().is_some_and(|text| !is_clean(text)) {
                self.note("an enum with hidden characters or secrets was dropped");
                return None;
            }
            if !is_readable(value) {
                self.note("an enum with a number that not every program reads was dropped");
                return None;
            }
            if let Some(value) = of_types(value, types).filter(|value| !values.contains(value)) {
                values.push(value);
            }
        }
        (!values.is_empty()).then_some(values)
    }

    /// Notes the values of an enum that no schema of a tool lists.
    pub(super) fn note_unlisted(&mut self, flat: &FlatSchema<'a>) {
        let types = flat.types();
        let values = flat.keyword("enum").and_then(Value::as_array).into_iter().flatten();
        for value in values.chain(flat.keyword("const")).filter(|value| !value.is_null()) {
            if of_types(value, &types).is_none() {
                self.note("the values of an enum that are not of its types were dropped");
            } else if value.is_array() || value.is_object() {
                self.note("an enum of lists or objects was dropped");
            }
        }
    }

    fn string(&mut self, flat: &FlatSchema<'a>, object: &mut Map<String, Value>) {
        bound(flat, "minLength", None, object);
        bound(flat, "maxLength", None, object);
        if let Some(pattern) =
            flat.keyword("pattern").and_then(Value::as_str).and_then(|text| self.pattern(text))
        {
            object.insert("pattern".into(), json!(pattern));
        }
        if FORMATS.contains(&flat.text("format")) {
            object.insert("format".into(), json!(flat.text("format")));
        }
    }

    /// Returns the regular expression if a tool's schema can have it. Documents are written for other engines.
    fn pattern<'p>(&mut self, pattern: &'p str) -> Option<&'p str> {
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

fn number(flat: &FlatSchema<'_>, object: &mut Map<String, Value>) {
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        // OpenAPI 3.0 has a boolean beside the bound, 3.1 a bound of its own.
        let key = if flat.is(exclusive) { exclusive } else { bound };
        if let Some(number) = flat.number(bound) {
            object.insert(key.into(), number.clone());
        }
        if let Some(number) = flat.number(exclusive) {
            object.insert(exclusive.into(), number.clone());
        }
    }
    if let Some(step) = flat.number("multipleOf").filter(|step| step.as_f64().is_some_and(|step| step > 0.0))
    {
        object.insert("multipleOf".into(), step.clone());
    }
}

/// Returns a value if it is of one of the types. `1.0` is the integer 1.
fn of_types(value: &Value, types: &[&str]) -> Option<Value> {
    let mut value = value.clone();
    if types.contains(&"integer") {
        coerce_integers(&json!({ "type": "integer" }), &mut value);
    }
    let kind = type_of(&value).unwrap_or_default();
    (types.contains(&kind) || (kind == "integer" && types.contains(&"number"))).then_some(value)
}

/// Returns whether every parser reads a number as the same value.
fn is_readable(value: &Value) -> bool {
    value.as_f64().is_none_or(|number| number.abs() <= 9_007_199_254_740_991.0)
}
