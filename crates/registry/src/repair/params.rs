//! Collects the parameters of a dispatcher call, wherever the model put them.

use serde_json::{Map, Value};

use super::{DispatchError, Repairs, name};
use crate::{
    ActionMeta, ActionRegistry, Dispatcher, parse_lenient, schema::properties_of, spelling::snake_key,
};

/// The keys under which models put the parameters. If the action has a parameter of that name, the key means
/// it.
const PARAMS_WORDS: [&str; 12] = [
    "params",
    "parameters",
    "arguments",
    "args",
    "input",
    "param",
    "kwargs",
    "tool_input",
    "tool_args",
    "tool_arguments",
    "action_input",
    "action_params",
];
/// The maximum number of layers of text, null or list around the object.
const MAX_LAYERS: usize = 3;

/// Returns the object in `value`, which may be encoded as JSON text, even repeatedly, or wrapped in a list.
/// Null and an empty list give an empty object.
pub fn object(
    value: Value,
    pointer: &str,
    word: &'static str,
    repairs: &mut Repairs,
) -> Result<Map<String, Value>, DispatchError> {
    let mut value = value;
    for _ in 0..MAX_LAYERS {
        value = match value {
            Value::Object(fields) => return Ok(fields),
            Value::Null => Value::Object(Map::new()),
            Value::Array(mut items) if items.len() <= 1 && items.iter().all(Value::is_object) => {
                repairs.note("params_in_list");
                items.pop().unwrap_or(Value::Object(Map::new()))
            }
            Value::String(text) => {
                repairs.note(word);
                let (value, text_repair) =
                    parse_lenient(&text).map_err(|error| not_an_object(pointer, &error.to_string()))?;
                repairs.text = repairs.text.max(text_repair);
                value
            }
            other => return Err(not_an_object(pointer, &format!("it is {}", kind(&other)))),
        };
    }
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(not_an_object(pointer, &format!("it is {}", kind(&other)))),
    }
}

/// Collects the parameters for `meta`: those under `params` or a synonym of it, those beside it, and those
/// wrapped twice.
pub fn collect(
    mut frame: Map<String, Value>,
    meta: &ActionMeta,
    registry: &ActionRegistry,
    repairs: &mut Repairs,
) -> Result<Map<String, Value>, DispatchError> {
    let mut params = match frame.shift_remove("params") {
        Some(value) => {
            unwrap_again(object(value, "/params", "params_as_text", repairs)?, meta, registry, repairs)?
        }
        None => Map::new(),
    };
    for (key, value) in frame {
        if holds_params(&key, &value, meta) {
            repairs.note("params_key");
            let inner = object(value, &format!("/{key}"), "params_as_text", repairs)?;
            for (key, value) in unwrap_again(inner, meta, registry, repairs)? {
                put(&mut params, key, value)?;
            }
        } else {
            repairs.note("params_at_top");
            put(&mut params, key, value)?;
        }
    }
    unwrap_again(params, meta, registry, repairs)
}

/// Returns `params` of a call of an unknown action, if it is an object. Otherwise an empty object, since the
/// error will be about the name.
pub fn of_unknown(mut frame: Map<String, Value>) -> Value {
    match frame.shift_remove("params") {
        Some(Value::Object(params)) => Value::Object(params),
        _ => Value::Object(Map::new()),
    }
}

/// Unwraps `{"params": {…}}`, `{"action": "…", "params": {…}}` and, if what is inside are parameters, `{"body": {…}}`
/// inside `params`.
pub fn unwrap_again(
    mut fields: Map<String, Value>,
    meta: &ActionMeta,
    registry: &ActionRegistry,
    repairs: &mut Repairs,
) -> Result<Map<String, Value>, DispatchError> {
    let repeats = |value: &Value| {
        value
            .as_str()
            .and_then(|text| {
                name::spelled_action(registry, text, Some(Dispatcher::of_action(&meta.spec.name)))
            })
            .is_some_and(|named| named.spec.name == meta.spec.name)
    };
    if !takes(meta, "action") && fields.get("action").is_some_and(repeats) {
        repairs.note("action_repeated");
        fields.shift_remove("action");
    }
    let wrapped = fields.len() == 1
        && fields.iter().all(|(key, value)| {
            let named = (value.is_object() || value.is_string()) && holds_params(key, value, meta);
            named || (!takes(meta, key) && has_parameters(value, meta))
        });
    let Some((key, value)) = fields.iter().next().filter(|_| wrapped) else { return Ok(fields) };
    repairs.note("params_wrapped");
    object(value.clone(), &format!("/params/{key}"), "params_as_text", repairs)
}

/// Returns whether a value, also as text, is an object whose keys are all names of parameters.
fn has_parameters(value: &Value, meta: &ActionMeta) -> bool {
    match value {
        Value::Object(fields) => {
            !fields.is_empty() && fields.keys().all(|key| takes(meta, key) || takes(meta, &snake_key(key)))
        }
        Value::String(text) if text.trim_start().starts_with('{') => {
            parse_lenient(text).is_ok_and(|(value, _)| value.is_object() && has_parameters(&value, meta))
        }
        _ => false,
    }
}

fn holds_params(key: &str, value: &Value, meta: &ActionMeta) -> bool {
    let plausible = value.is_object() || value.is_string() || value.is_null() || value.is_array();
    plausible && is_params_word(key) && !takes(meta, key)
}

/// Returns whether models put the parameters under this key.
pub fn is_params_word(key: &str) -> bool {
    PARAMS_WORDS.contains(&key.to_ascii_lowercase().as_str())
}

pub fn takes(meta: &ActionMeta, name: &str) -> bool {
    properties_of(meta.input.value()).any(|(known, _)| known == name)
}

fn put(params: &mut Map<String, Value>, key: String, value: Value) -> Result<(), DispatchError> {
    match params.get(&key) {
        Some(there) if *there != value => {
            let message = format!("`{key}` is given twice with different values");
            Err(DispatchError::new(format!("/{key}"), message, "give it once, inside `params`"))
        }
        _ => {
            params.insert(key, value);
            Ok(())
        }
    }
}

fn not_an_object(pointer: &str, why: &str) -> DispatchError {
    let what = pointer.strip_prefix('/').map_or("the arguments".into(), |name| format!("`{name}`"));
    let hint = "send an object, such as {\"limit\": 5}, with double quotes around keys and strings";
    DispatchError::new(pointer, format!("{what} must be an object: {why}"), hint)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
