//! Converts arguments of a wrong type whose meaning is unambiguous: `"5"` to 5, `"true"` to true, one value
//! to a list.
//!
//! Applies to calls that models make; programs get an error instead. Runs before validation and never
//! replaces it.

use serde_json::{Map, Value};
use toolcrib_model::parse_strict;

use crate::repair::snake_key;

/// Converts values to the type in their schema if the meaning is unambiguous. Returns the JSON pointers of
/// the changed values.
pub fn coerce(schema: &Value, value: &mut Value) -> Vec<String> {
    let mut changed = Vec::new();
    visit(schema, value, "", &mut changed);
    changed
}

fn visit(schema: &Value, value: &mut Value, at: &str, changed: &mut Vec<String>) {
    let schema = only_option(schema);
    if let Some(read) = reading(schema, value) {
        *value = read;
        changed.push(at.to_owned());
    }
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            rename_keys(properties, fields, at, changed);
            for (key, field) in fields.iter_mut() {
                if let Some(schema) = properties.get(key) {
                    visit(schema, field, &format!("{at}/{key}"), changed);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter_mut().enumerate() {
                visit(schema, item, &format!("{at}/{index}"), changed);
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

/// Returns the converted value, or `None` if the value needs no conversion or is ambiguous.
fn reading(schema: &Value, value: &Value) -> Option<Value> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return option(words, value);
    }
    let kind = match schema.get("type")? {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?,
        _ => return None,
    };
    match (kind, value) {
        ("integer", Value::String(text)) => integer(&number(text)?),
        // `5.0` satisfies the JSON Schema type `integer`, but serde can't deserialize it into an integer
        // type.
        ("integer", Value::Number(n)) if n.is_f64() => integer(value),
        ("number", Value::String(text)) => number(text),
        ("boolean", Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Some(true.into()),
        ("boolean", Value::String(text)) if text.trim().eq_ignore_ascii_case("false") => Some(false.into()),
        ("string", Value::Number(n)) if !n.is_f64() => Some(n.to_string().into()),
        ("object", Value::String(text)) => parsed(text, Value::is_object),
        ("array", Value::Null | Value::Array(_)) => None,
        ("array", Value::String(text)) => parsed(text, Value::is_array).or_else(|| single(schema, value)),
        ("array", _) => single(schema, value),
        _ => None,
    }
}

/// Returns the one enum value that differs from `value` only in case, separators or JSON type.
fn option(words: &[Value], value: &Value) -> Option<Value> {
    if words.contains(value) {
        return None;
    }
    let plain = |value: &Value| match value {
        Value::String(text) => snake_key(text),
        other => other.to_string(),
    };
    let given = match value {
        Value::Number(n) if n.is_f64() => integer(value)?.to_string(),
        Value::String(_) | Value::Number(_) => plain(value),
        _ => return None,
    };
    let mut same = words.iter().filter(|word| !word.is_null() && plain(word) == given);
    same.next().filter(|_| same.next().is_none()).cloned()
}

fn number(text: &str) -> Option<Value> {
    let value = parse_strict(text.trim().as_bytes()).ok()?;
    value.is_number().then_some(value)
}

fn integer(value: &Value) -> Option<Value> {
    if value.is_i64() || value.is_u64() {
        return Some(value.clone());
    }
    let whole = value.as_f64().filter(|n| n.fract() == 0.0)?;
    format!("{whole:.0}").parse::<i64>().ok().map(Value::from)
}

fn parsed(text: &str, wanted: fn(&Value) -> bool) -> Option<Value> {
    let looks = text.trim_start().starts_with(['{', '[']);
    looks.then(|| parse_strict(text.as_bytes()).ok()).flatten().filter(wanted)
}

/// Wraps a single value in a list. Doesn't wrap a text with separators, because it may be several items.
fn single(schema: &Value, value: &Value) -> Option<Value> {
    let item = schema.get("items")?.get("type")?.as_str()?;
    let fits = match value {
        Value::String(text) => item == "string" && !text.is_empty() && !text.contains([',', ';', '\n']),
        Value::Number(n) => item == "number" || (item == "integer" && !n.is_f64()),
        Value::Object(_) => item == "object",
        _ => false,
    };
    fits.then(|| Value::Array(vec![value.clone()]))
}

/// Renames keys such as `maxRows` and `max-rows` to `max_rows`.
fn rename_keys(
    known: &Map<String, Value>,
    fields: &mut Map<String, Value>,
    at: &str,
    changed: &mut Vec<String>,
) {
    let wrong: Vec<(String, String)> = fields
        .keys()
        .filter(|key| !known.contains_key(*key))
        .map(|key| (key.clone(), snake_key(key)))
        .filter(|(_, right)| known.contains_key(right) && !fields.contains_key(right))
        .collect();
    for (key, right) in wrong {
        // With two spellings of one parameter, validation refuses the second.
        if fields.contains_key(&right) {
            continue;
        }
        if let Some(value) = fields.shift_remove(&key) {
            changed.push(format!("{at}/{right}"));
            fields.insert(right, value);
        }
    }
}

#[cfg(test)]
mod tests;
