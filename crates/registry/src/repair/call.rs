//! Builds the corrected call that a model can send instead.

use serde_json::{Map, Value, json};

use super::{params::is_params_word, synonyms};
use crate::{
    ActionMeta, ArgError, Category, Dispatcher, Level, TextRepair,
    coerce::{coerce, counted, items},
    likeness::{nearest, only_similar},
    parse_lenient,
    schema::required_of,
    spelling::snake_key,
    validate::at as schema_at,
};

/// Returns the call of an action: `{name, arguments}`, or through its dispatcher `{name, arguments: {action, params}}`.
pub fn call_of(meta: &ActionMeta, arguments: &Value, dispatched: bool) -> Value {
    let name = &*meta.spec.name;
    if dispatched {
        let dispatcher = Dispatcher::of_action(&meta.spec.name).as_str();
        json!({ "name": dispatcher, "arguments": { "action": name, "params": arguments } })
    } else {
        json!({ "name": name, "arguments": arguments })
    }
}

/// Returns an example of a call: the required parameters with placeholders for their values.
pub fn example_call(meta: &ActionMeta, dispatched: bool) -> Value {
    let schema = meta.input.read();
    let property = |name: &str| schema.get("properties")?.get(name);
    let required =
        required_of(&schema).filter_map(|name| Some((name.to_owned(), placeholder(name, property(name)?))));
    call_of(meta, &Value::Object(required.collect()), dispatched)
}

/// Corrected arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// The arguments, which are valid.
    pub arguments: Value,
    /// JSON pointers to what was changed.
    pub changed: Vec<String>,
    /// Whether they have every value that was given, as it was given: no key was left out, no number was moved to a
    /// limit.
    pub complete: bool,
}

/// Corrects arguments whose meaning is likely. Every value that was given is kept: converted, under the name of a
/// similar parameter or another word for it, or as the similar word of an enum. Only a key that is similar to no
/// parameter is left out, and in a read a number is moved to the limit that the error names. Returns `None` if a value
/// is missing or unclear: then only the caller knows the right call.
pub fn correct(meta: &ActionMeta, arguments: &Value) -> Option<Correction> {
    let mut right = arguments.clone();
    let schema = meta.input.value();
    let mut changed = coerce(schema, &mut right);
    // A text for nothing may mean null here, which empties what is stored, or no change.
    let is_nullable = |at: &str| schema_at(schema, at).and_then(|field| field.get("x-nullable")).is_some();
    if changed.iter().any(|at| is_nullable(at) && right.pointer(at).is_none()) {
        return None;
    }
    let mut complete = true;
    for error in meta.input.check(&mut right.clone()) {
        match error.code.as_str() {
            "additionalProperties" => match place_unknown(meta, &mut right, &error.pointer)? {
                UnknownKey::Renamed(pointer) => changed.push(pointer),
                UnknownKey::LeftOut => complete = false,
            },
            // In a write a number is what the caller wants to have, not the size of a page.
            "minimum" | "maximum" if meta.spec.level == Level::Read => {
                limit(schema, &mut right, &error)?;
                complete = false;
            }
            "enum" => {
                choose(schema, &mut right, &error.pointer)?;
                changed.push(error.pointer);
            }
            "type" => {
                reread(schema, &mut right, &error.pointer)?;
                changed.push(error.pointer);
            }
            // The query of infrastructure is an expression, which has no meaning without its end.
            "maxLength" if is_search(meta) && error.pointer == "/query" => {
                cut(schema, &mut right, &error.pointer)?;
                complete = false;
            }
            // A renamed parameter may be the missing one.
            "required" => {}
            _ => return None,
        }
    }
    changed.extend(coerce(schema, &mut right));
    let valid = meta.input.check(&mut right.clone()).is_empty();
    valid.then_some(Correction { arguments: right, changed, complete })
}

fn is_search(meta: &ActionMeta) -> bool {
    meta.spec.level == Level::Read && meta.spec.category != Category::Infrastructure
}

enum UnknownKey {
    /// Its value is at this JSON pointer now.
    Renamed(String),
    /// It stands for no parameter.
    LeftOut,
}

/// Moves the value of an unknown key to the parameter that it stands for. Leaves out a key
/// that stands for none. `None` if that parameter is given too.
fn place_unknown(meta: &ActionMeta, root: &mut Value, pointer: &str) -> Option<UnknownKey> {
    let schema = meta.input.value();
    let (parent, key) = split(pointer)?;
    let known = schema_at(schema, parent)?.get("properties")?.as_object()?;
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    let fields = root.pointer_mut(parent)?.as_object_mut()?;
    let mut value = fields.shift_remove(&key)?;
    if let Value::String(text) = &value
        && let Ok((inner, repair)) = parse_lenient(text)
        && inner.is_object()
        && repair < TextRepair::Prose
    {
        value = inner;
    }
    if let Some(inner) = value.as_object_mut()
        && inner.keys().all(|key| known.contains(&key.as_str()) && !fields.contains_key(key))
        && !fields.values().any(|value| names_action(value, meta))
    {
        fields.append(inner);
        return Some(UnknownKey::Renamed(parent.to_owned()));
    }
    let similar = only_similar(&snake_key(&key), known.iter().copied());
    let another_word = || synonyms::parameter(&key, &known);
    let Some(name) =
        similar.or_else(another_word).or_else(|| only_missing(schema_at(schema, parent)?, fields))
    else {
        // What has values of its own is never left out.
        if value.is_object() || value.is_array() {
            return None;
        }
        // Similar to several parameters, or with the parameters in it: only the caller knows which.
        let unclear = nearest(&key, &known).is_some() || is_params_word(&key);
        return (!unclear).then_some(UnknownKey::LeftOut);
    };
    if fields.contains_key(name) {
        return None;
    }
    fields.insert(name.to_owned(), value);
    Some(UnknownKey::Renamed(format!("{parent}/{name}")))
}

/// Whether a value is the name of the action: then what stands beside it is a call, and not its arguments.
fn names_action(value: &Value, meta: &ActionMeta) -> bool {
    let name = value.as_str().map(snake_key).unwrap_or_default();
    *name == *meta.spec.name || meta.spec.category.bare(&meta.spec.name) == name
}

/// Returns the one required parameter that is not given, if all that is given is known.
fn only_missing<'s>(schema: &'s Value, fields: &Map<String, Value>) -> Option<&'s str> {
    let known = schema.get("properties")?;
    let mut missing = required_of(schema).filter(|name| !fields.contains_key(*name));
    let only = missing.next().filter(|_| missing.next().is_none())?;
    fields.keys().all(|key| known.get(key).is_some()).then_some(only)
}

/// Reads a text as the list or the number that it describes: `a, b`, `20 items`.
fn reread(schema: &Value, root: &mut Value, pointer: &str) -> Option<()> {
    let schema = schema_at(schema, pointer)?;
    let value = root.pointer_mut(pointer)?;
    let text = value.as_str()?;
    *value = match schema.get("type")?.as_str()? {
        "array" => items(schema, text)?,
        "integer" | "number" => counted(text)?,
        _ => return None,
    };
    Some(())
}

/// Cuts a text to its limit, after a word if there is one.
fn cut(schema: &Value, root: &mut Value, pointer: &str) -> Option<()> {
    let limit = usize::try_from(schema_at(schema, pointer)?.get("maxLength")?.as_u64()?).ok()?;
    let value = root.pointer_mut(pointer)?;
    let start: String = value.as_str()?.chars().take(limit).collect();
    let end = start.rfind(char::is_whitespace).filter(|end| *end > 0).unwrap_or(start.len());
    *value = json!(start.get(..end)?);
    Some(())
}

fn limit(schema: &Value, root: &mut Value, error: &ArgError) -> Option<()> {
    let limit = schema_at(schema, &error.pointer)?.get(&error.code)?;
    *root.pointer_mut(&error.pointer)? = limit.clone();
    Some(())
}

/// Replaces an enum's word by the only one that is similar to it.
fn choose(schema: &Value, root: &mut Value, pointer: &str) -> Option<()> {
    let words: Vec<&str> =
        schema_at(schema, pointer)?.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let value = root.pointer_mut(pointer)?;
    let similar = only_similar(&snake_key(value.as_str()?), words)?;
    *value = json!(similar);
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
