//! Reads strings, numbers and booleans.

use serde_json::{Map, Value, json};

use super::{FlatSchema, SchemaReader, flat::type_of};
use crate::{import::texts::is_clean, limits::MAX_ENUM};

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
    fn values(&mut self, flat: &FlatSchema<'a>, types: &[&str]) -> Option<Vec<&'a Value>> {
        let written: Vec<&Value> = match (flat.keyword("const"), flat.keyword("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(Value::Array(values))) => values.iter().collect(),
            _ => return None,
        };
        if written.len() > MAX_ENUM {
            self.note(format!("an enum with more than {MAX_ENUM} values was dropped"));
            return None;
        }
        let fits = |value: &Value| {
            let kind = type_of(value);
            kind.is_some_and(|kind| types.contains(&kind) || (kind == "integer" && types.contains(&"number")))
        };
        let mut values: Vec<&Value> = Vec::new();
        for value in written {
            if value.as_str().is_some_and(|text| !is_clean(text)) {
                self.note("an enum with hidden characters or secrets was dropped");
                return None;
            }
            if fits(value) && is_readable(value) && !values.contains(&value) {
                values.push(value);
            }
        }
        (!values.is_empty()).then_some(values)
    }

    fn string(&mut self, flat: &FlatSchema<'a>, object: &mut Map<String, Value>) {
        for key in ["minLength", "maxLength"] {
            if let Some(length) = flat.length(key) {
                object.insert(key.into(), json!(length));
            }
        }
        if let Some(pattern) =
            flat.keyword("pattern").and_then(Value::as_str).and_then(|text| self.pattern(text))
        {
            object.insert("pattern".into(), json!(pattern));
        }
        if FORMATS.contains(&flat.text("format")) {
            object.insert("format".into(), json!(flat.text("format")));
        }
    }
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

/// Returns whether every parser reads a number as the same value.
fn is_readable(value: &Value) -> bool {
    value.as_f64().is_none_or(|number| number.abs() <= 9_007_199_254_740_991.0)
}
