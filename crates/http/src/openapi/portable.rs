//! Rewrites schemas for client generators without changing their meaning.
//!
//! `true` is a valid schema in JSON Schema 2020-12, but generators expect an object. A `oneOf` with one
//! choice is replaced by that choice.

use serde_json::{Map, Value, json};

/// Rewrites a schema and its subschemas.
pub(super) fn schema(schema: Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Object(own) => Value::Object(unwrapped(own.into_iter().map(keyword).collect())),
        other => other,
    }
}

fn keyword((name, value): (String, Value)) -> (String, Value) {
    let rewritten = match (name.as_str(), value) {
        ("items", value) => schema(value),
        // `additionalProperties: true` stays, because every generator understands it.
        ("additionalProperties", Value::Object(own)) => schema(Value::Object(own)),
        ("properties" | "$defs", Value::Object(own)) => {
            Value::Object(own.into_iter().map(|(name, value)| (name, schema(value))).collect())
        }
        ("oneOf" | "anyOf" | "allOf", Value::Array(all)) => all.into_iter().map(schema).collect(),
        (_, value) => value,
    };
    (name, rewritten)
}

/// Replaces a `oneOf` with one choice by that choice. A keyword beside `oneOf` overrides the choice's
/// keyword.
fn unwrapped(mut own: Map<String, Value>) -> Map<String, Value> {
    let only = match own.get("oneOf") {
        Some(Value::Array(all)) if all.len() == 1 => all.first().and_then(Value::as_object).cloned(),
        _ => None,
    };
    if let Some(only) = only {
        own.shift_remove("oneOf");
        for (name, value) in only {
            own.entry(name).or_insert(value);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_generators_stumble_over_is_said_in_other_words() {
        let given = json!({
            "type": "object", "additionalProperties": true,
            "properties": {
                "rows": { "type": "array", "items": { "type": "array", "items": true } },
                "remember": { "description": "For how long.", "oneOf": [{ "const": "session", "description": "It ends." }] },
                "two": { "oneOf": [{ "const": "a" }, true] },
                "default": { "default": true },
            },
        });
        let expected = json!({
            "type": "object", "additionalProperties": true,
            "properties": {
                "rows": { "type": "array", "items": { "type": "array", "items": {} } },
                "remember": { "description": "For how long.", "const": "session" },
                "two": { "oneOf": [{ "const": "a" }, {}] },
                "default": { "default": true },
            },
        });
        assert_eq!(schema(given), expected);
    }
}
