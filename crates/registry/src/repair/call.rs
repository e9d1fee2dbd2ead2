//! Builds the corrected call that a model can send instead.

use serde_json::{Map, Value, json};

use super::params::object;
use crate::{ActionMeta, ArgError, DISPATCHER, coerce, nearest};

/// Returns the direct call of an action that has a tool of its own: `{name, arguments}`.
pub fn direct_call_hint(meta: &ActionMeta, params: &Value) -> Value {
    json!({ "name": meta.spec.name, "arguments": params })
}

/// Returns the call through the dispatcher: `{name, arguments: {action, params}}`.
pub fn dispatched_call(meta: &ActionMeta, params: &Value) -> Value {
    json!({ "name": DISPATCHER, "arguments": { "action": meta.spec.name, "params": params } })
}

/// Returns an example of a call: the required parameters with placeholders for their values.
pub fn example_call(meta: &ActionMeta, dispatched: bool) -> Value {
    let schema =
        |name: &str| meta.input.properties().find(|(known, _)| *known == name).map(|(_, schema)| schema);
    let required =
        meta.input.required().filter_map(|name| Some((name.to_owned(), placeholder(name, schema(name)?))));
    let params = Value::Object(required.collect());
    if dispatched { dispatched_call(meta, &params) } else { direct_call_hint(meta, &params) }
}

/// Returns the corrected call, which is valid and has every value that was given: converted, under the right name, or
/// moved to the limit that the error names. Only a key that is similar to no parameter is left out. Returns `None` if
/// a value is missing or unclear: then only the caller knows the right call. If `dispatched`, the call goes through
/// the dispatcher.
pub fn corrected_call(meta: &ActionMeta, params: &Value, dispatched: bool) -> Option<Value> {
    let mut right = Value::Object(object(params.clone(), "", "", &mut Vec::new()).ok()?);
    let schema = meta.input.value();
    coerce(schema, &mut right);
    for error in meta.input.check(&mut right.clone()) {
        match error.code.as_str() {
            "additionalProperties" => rename(schema, &mut right, &error.pointer)?,
            "minimum" | "maximum" => limit(schema, &mut right, &error)?,
            "enum" => choose(schema, &mut right, &error.pointer)?,
            // A renamed parameter may be the missing one.
            "required" => {}
            _ => return None,
        }
    }
    coerce(schema, &mut right);
    if !meta.input.check(&mut right.clone()).is_empty() {
        return None;
    }
    Some(if dispatched { dispatched_call(meta, &right) } else { direct_call_hint(meta, &right) })
}

/// Moves the value of an unknown key to the parameter with a similar name. `None` if that parameter is given too.
fn rename(schema: &Value, root: &mut Value, pointer: &str) -> Option<()> {
    let (parent, key) = split(pointer)?;
    let known = schema_at(schema, parent)?.get("properties")?.as_object()?;
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    let fields = root.pointer_mut(parent)?.as_object_mut()?;
    let value = fields.shift_remove(&key)?;
    if let Some(near) = nearest(&key, &known) {
        if fields.contains_key(near) {
            return None;
        }
        fields.insert(near.to_owned(), value);
    }
    Some(())
}

fn limit(schema: &Value, root: &mut Value, error: &ArgError) -> Option<()> {
    let limit = schema_at(schema, &error.pointer)?.get(&error.code)?;
    *root.pointer_mut(&error.pointer)? = limit.clone();
    Some(())
}

/// Replaces an enum's word by the one that is similar to it.
fn choose(schema: &Value, root: &mut Value, pointer: &str) -> Option<()> {
    let words: Vec<&str> =
        schema_at(schema, pointer)?.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let value = root.pointer_mut(pointer)?;
    let near = nearest(value.as_str()?, &words)?;
    *value = json!(near);
    Some(())
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

fn split(pointer: &str) -> Option<(&str, String)> {
    let (parent, key) = pointer.rsplit_once('/')?;
    Some((parent, key.replace("~1", "/").replace("~0", "~")))
}

fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    crate::validate::at(schema, pointer)
}
