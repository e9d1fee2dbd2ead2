//! Converts arguments of a wrong type whose meaning is unambiguous: `"5"` to 5, `"yes"` to true, one value to a
//! list, `taskId` to `task_id`.
//!
//! Applies to calls that models make; programs get an error instead, apart from `3.0` for an integer, which is one
//! in JSON Schema. Runs before validation and never replaces it. Never changes a valid call.

mod keys;
mod values;

use serde_json::Value;

/// Converts values to the type in their schema, and keys to the names of parameters, if the meaning is unambiguous.
/// Returns the JSON pointers of what changed.
pub fn coerce(schema: &Value, value: &mut Value) -> Vec<String> {
    let mut changed = Vec::new();
    visit(schema, value, "", true, &mut changed);
    changed
}

/// Converts numbers with a zero fraction to integers, where the schema says integer.
pub fn coerce_integers(schema: &Value, value: &mut Value) {
    visit(schema, value, "", false, &mut Vec::new());
}

fn visit(schema: &Value, value: &mut Value, at: &str, lenient: bool, changed: &mut Vec<String>) {
    let schema = only_option(schema);
    let read = if lenient { values::reading(schema, value) } else { values::whole(schema, value) };
    if let Some(read) = read {
        *value = read;
        changed.push(at.to_owned());
    }
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            if lenient {
                keys::rename(schema, properties, fields, at, changed);
                keys::drop_empty(schema, properties, fields, at, changed);
            }
            for (key, field) in fields.iter_mut() {
                if let Some(schema) = properties.get(key) {
                    visit(schema, field, &format!("{at}/{key}"), lenient, changed);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter_mut().enumerate() {
                visit(schema, item, &format!("{at}/{index}"), lenient, changed);
            }
        }
        _ => {}
    }
}

/// Returns the only option of an `anyOf` apart from null; otherwise the schema itself.
fn only_option(schema: &Value) -> &Value {
    let Some(options) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    let mut real = options.iter().filter(|option| option.get("type").is_none_or(|kind| kind != "null"));
    match (real.next(), real.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

/// Returns the type of a schema apart from null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
