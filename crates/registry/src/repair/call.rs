//! Builds the corrected call that a model can send instead.

use serde_json::{Map, Value, json};

use super::params::object;
use crate::{ActionMeta, ArgError, DISPATCHER, nearest};

/// Returns the direct call of an action that has a tool of its own: `{name, arguments}`.
pub fn direct_call_hint(meta: &ActionMeta, params: &Value) -> Value {
    json!({ "name": meta.spec.name, "arguments": params })
}

/// Returns the call through the dispatcher: `{name, arguments: {action, params}}`.
pub fn dispatched_call(meta: &ActionMeta, params: &Value) -> Value {
    json!({ "name": DISPATCHER, "arguments": { "action": meta.spec.name, "params": params } })
}

/// Returns the corrected call: renames misspelled parameters, removes unknown ones, adds placeholders for
/// missing ones and clamps numbers. Returns `None` if there is nothing to correct. If `dispatched`, the call
/// goes through the dispatcher.
pub fn corrected_call(
    meta: &ActionMeta,
    params: &Value,
    errors: &[ArgError],
    dispatched: bool,
) -> Option<Value> {
    let mut right = Value::Object(object(params.clone(), "", "", &mut Vec::new()).ok()?);
    let before = right.clone();
    let schema = meta.input.value();
    // Rename first: a misspelled parameter may be the missing one.
    for error in errors.iter().filter(|error| error.code == "additionalProperties") {
        rename(schema, &mut right, &error.pointer);
    }
    for error in errors.iter().filter(|error| error.code != "additionalProperties") {
        mend(schema, &mut right, error);
    }
    if right == before {
        return None;
    }
    Some(if dispatched { dispatched_call(meta, &right) } else { direct_call_hint(meta, &right) })
}

fn rename(schema: &Value, root: &mut Value, pointer: &str) {
    let Some((parent, key)) = split(pointer) else { return };
    let known = schema_at(schema, parent).and_then(|s| s.get("properties")).and_then(Value::as_object);
    let known: Vec<&str> = known.map(|p| p.keys().map(String::as_str).collect()).unwrap_or_default();
    let Some(fields) = root.pointer_mut(parent).and_then(Value::as_object_mut) else { return };
    let Some(value) = fields.shift_remove(&key) else { return };
    if let Some(near) = nearest(&key, &known)
        && !fields.contains_key(near)
    {
        fields.insert(near.to_owned(), value);
    }
}

fn mend(schema: &Value, root: &mut Value, error: &ArgError) {
    let Some((parent, key)) = split(&error.pointer) else { return };
    let Some(wanted) = schema_at(schema, &error.pointer) else { return };
    let required = is_required(schema, parent, &key);
    if error.code == "required" {
        let fields = root.pointer_mut(parent).and_then(Value::as_object_mut);
        if let Some(fields) = fields {
            fields.entry(key.clone()).or_insert_with(|| placeholder(&key, wanted));
        }
        return;
    }
    let Some(value) = root.pointer_mut(&error.pointer) else { return };
    match error.code.as_str() {
        "minimum" | "maximum" => {
            if let Some(limit) = wanted.get(&error.code) {
                *value = limit.clone();
            }
        }
        "enum" => *value = near_option(value, wanted).unwrap_or_else(|| options(wanted)),
        "type" | "format" | "minLength" if required => *value = placeholder(&key, wanted),
        "type" | "format" | "minLength" => {
            if let Some(fields) = root.pointer_mut(parent).and_then(Value::as_object_mut) {
                fields.shift_remove(&key);
            }
        }
        _ => {}
    }
}

/// Returns a value of the parameter's type. For text, a placeholder in angle brackets.
fn placeholder(name: &str, schema: &Value) -> Value {
    let first = schema.get("enum").and_then(Value::as_array).and_then(|words| words.first());
    if let Some(value) = schema.get("default").or(schema.get("const")).or(first) {
        return value.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some("array") => match (schema.get("minItems").and_then(Value::as_u64), schema.get("items")) {
            (Some(1..), Some(items)) => json!([placeholder(name, items)]),
            _ => json!([]),
        },
        Some("object") => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let field = |name: &str| {
                schema.get("properties")?.get(name).map(|s| (name.to_owned(), placeholder(name, s)))
            };
            Value::Object(required.filter_map(Value::as_str).filter_map(field).collect::<Map<_, _>>())
        }
        _ => json!(format!("<{name}>")),
    }
}

fn near_option(given: &Value, schema: &Value) -> Option<Value> {
    let words: Vec<&str> = schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
    nearest(given.as_str()?, &words).map(|word| json!(word))
}

fn options(schema: &Value) -> Value {
    let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<String> = words.map(|w| w.as_str().map_or_else(|| w.to_string(), str::to_owned)).collect();
    json!(format!("<{}>", words.join("|")))
}

fn is_required(schema: &Value, parent: &str, key: &str) -> bool {
    let required = schema_at(schema, parent).and_then(|s| s.get("required")).and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

fn split(pointer: &str) -> Option<(&str, String)> {
    let (parent, key) = pointer.rsplit_once('/')?;
    Some((parent, key.replace("~1", "/").replace("~0", "~")))
}

fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    crate::validate::at(schema, pointer)
}
