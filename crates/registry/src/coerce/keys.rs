//! Keys that name a parameter in another spelling.

use serde_json::{Map, Value};

use crate::{schema::required_of, spelling::snake_key};

/// Renames keys that stand for exactly one parameter that is not given: `maxRows` and `max-rows` for `max_rows`,
/// `task` for `task_id`, `tag` for `tags`, and `id` for the one parameter that takes an id.
pub fn rename(
    schema: &Value,
    known: &Map<String, Value>,
    fields: &mut Map<String, Value>,
    at: &str,
    changed: &mut Vec<String>,
) {
    let wrong: Vec<(String, String)> = fields
        .keys()
        .filter(|key| !known.contains_key(*key))
        .filter_map(|key| Some((key.clone(), meant(schema, known, key)?)))
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

/// Removes words for nothing, empty texts, objects and lists of optional parameters that accept none: the model meant
/// not to give them.
pub fn drop_empty(
    schema: &Value,
    known: &Map<String, Value>,
    fields: &mut Map<String, Value>,
    at: &str,
    changed: &mut Vec<String>,
) {
    let required: Vec<&str> = required_of(schema).collect();
    let empty = |key: &String, value: &Value| {
        !required.contains(&key.as_str()) && known.get(key).is_some_and(|schema| is_empty(schema, value))
    };
    let keys: Vec<String> =
        fields.iter().filter(|(key, value)| empty(key, value)).map(|(key, _)| key.clone()).collect();
    for key in keys {
        changed.push(format!("{at}/{key}"));
        fields.shift_remove(&key);
    }
}

/// Whether a value says that there is none, where the schema does not accept it.
fn is_empty(schema: &Value, value: &Value) -> bool {
    let schema = super::only_option(schema);
    let kind = super::kind(schema);
    match value {
        Value::String(text) => super::is_nothing(text) && refuses(schema, kind, text.trim()),
        Value::Object(fields) => fields.is_empty() && kind.is_some_and(|kind| kind != "object"),
        Value::Array(items) => items.is_empty() && kind.is_some_and(|kind| kind != "array"),
        _ => false,
    }
}

fn refuses(schema: &Value, kind: Option<&str>, text: &str) -> bool {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return !words.iter().any(|word| word.as_str().is_some_and(|word| word.eq_ignore_ascii_case(text)));
    }
    let needs_text = schema.get("minLength").and_then(Value::as_u64) > Some(0);
    let is_text = kind == Some("string");
    !is_text || schema.get("format").is_some() || (needs_text && text.is_empty())
}

/// Returns the one parameter that the key stands for.
fn meant(schema: &Value, known: &Map<String, Value>, key: &str) -> Option<String> {
    let snake = snake_key(key);
    if known.contains_key(&snake) {
        return Some(snake);
    }
    if snake == "id" {
        return takes_an_id(schema, known);
    }
    only(known.keys().filter(|name| stem(name) == stem(&snake)))
}

/// Returns the one parameter with an id; otherwise the one required parameter that is a text.
fn takes_an_id(schema: &Value, known: &Map<String, Value>) -> Option<String> {
    let is_id = |schema: &Value| schema.get("format").is_some_and(|format| format == "uuid");
    let ids =
        known.iter().filter(|(name, schema)| is_id(schema) || name.ends_with("_id")).map(|(name, _)| name);
    let required: Vec<&str> = required_of(schema).collect();
    let texts = known.iter().filter(|(name, schema)| {
        required.contains(&name.as_str())
            && super::kind(schema) == Some("string")
            && schema.get("enum").is_none()
    });
    only(ids).or_else(|| only(texts.map(|(name, _)| name)))
}

fn only<'n>(mut names: impl Iterator<Item = &'n String>) -> Option<String> {
    match (names.next(), names.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// Returns the name without `_id` or `_name`, in the singular.
fn stem(name: &str) -> String {
    let name = ["_ids", "_id", "_name"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    if let Some(stem) = name.strip_suffix("ies") {
        return format!("{stem}y");
    }
    name.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(name).to_owned()
}
