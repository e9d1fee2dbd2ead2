//! Values of another type than their schema says.

use serde_json::Value;
use toolcrib_model::{instant_in, parse_strict};

use super::{kind, quantity};
use crate::{TextRepair, parse_lenient, spelling::snake_key};

/// Words for `true`. Any other word for a boolean is left for validation.
const YES: [&str; 5] = ["true", "yes", "on", "1", "enabled"];
/// Words for `false`.
const NO: [&str; 5] = ["false", "no", "off", "0", "disabled"];

/// The keys under which models put a single value in an object.
const VALUE_KEYS: [&str; 7] = ["id", "name", "value", "text", "content", "title", "slug"];

/// Returns the converted value, or `None` if the value needs no conversion or is ambiguous. `at` is where it stands. A
/// time without a time zone is read in `zone`.
pub fn reading(schema: &Value, value: &Value, at: &str, zone: &str) -> Option<Value> {
    if is_one_of_several(schema, value) {
        return None;
    }
    let name = at.rsplit('/').next().unwrap_or_default();
    if let Some(inner) = single_item(schema, value).or_else(|| single_field(schema, value, name)) {
        return if fits(schema, inner) { Some(inner.clone()) } else { reading(schema, inner, at, zone) };
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let in_unit = || {
            let number = quantity::in_unit_of(name, schema, value.as_str()?)?;
            words.contains(&number).then_some(number)
        };
        return option(words, value).or_else(in_unit);
    }
    of_kind(schema, value, name, zone)
}

/// Returns the value converted to the type of the schema, which is no enum.
fn of_kind(schema: &Value, value: &Value, name: &str, zone: &str) -> Option<Value> {
    match (kind(schema)?, value) {
        ("integer", Value::String(text)) => match number(text) {
            Some(number) => integer(&number),
            None => quantity::in_unit_of(name, schema, text).as_ref().and_then(integer),
        },
        ("integer", Value::Number(_)) => whole(schema, value),
        ("number", Value::String(text)) => number(text).or_else(|| quantity::in_unit_of(name, schema, text)),
        ("boolean", Value::String(text)) => boolean(text.trim()),
        ("boolean", Value::Number(n)) => boolean(&n.to_string()),
        ("string", Value::String(text))
            if schema.get("format").is_some_and(|format| format == "date-time") =>
        {
            instant(text, zone)
        }
        ("string", Value::Number(n)) if !n.is_f64() => Some(n.to_string().into()),
        ("object", Value::String(text)) => parsed(text, Value::is_object),
        ("array", Value::Null | Value::Array(_)) => None,
        ("array", Value::String(text)) => {
            let certain = || items(schema, text).filter(|_| are_words(schema, text));
            parsed(text, Value::is_array).or_else(|| single(schema, value)).or_else(certain)
        }
        ("array", _) => single(schema, value),
        _ => None,
    }
}

/// Returns the one item of a list where a single value belongs.
fn single_item<'v>(schema: &Value, value: &'v Value) -> Option<&'v Value> {
    match value.as_array().map(Vec::as_slice) {
        Some([item]) if kind(schema) != Some("array") && !item.is_array() => Some(item),
        _ => None,
    }
}

/// Returns the one value in `{"name": "Scout"}` where a single value belongs.
fn single_field<'v>(schema: &Value, value: &'v Value, name: &str) -> Option<&'v Value> {
    if !matches!(kind(schema)?, "string" | "integer" | "number" | "boolean") {
        return None;
    }
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let (key, inner) = fields.iter().next()?;
    let known = VALUE_KEYS.contains(&key.as_str()) || key == name;
    (known && !inner.is_array() && !inner.is_null()).then_some(inner)
}

/// Returns the items of a text such as `a, b`.
pub fn items(schema: &Value, text: &str) -> Option<Value> {
    let item = schema.get("items")?;
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let text = text.trim_end_matches([';', ',', '.', '\n', ' ']);
    let separator = [';', '\n', ','].into_iter().find(|separator| text.contains(*separator))?;
    let part = |part: &str| {
        let part = part.trim();
        let bullet = ["- ", "* ", "• "].iter().find_map(|bullet| part.strip_prefix(bullet));
        let part = bullet.unwrap_or(part).trim().trim_matches(['"', '\'']);
        let value = Value::from(part);
        let read = if fits(item, &value) { Some(value) } else { reading(item, &value, "", "UTC") };
        (!part.is_empty()).then_some(read)
    };
    let parts: Option<Vec<Value>> = text.split(separator).filter_map(part).collect();
    parts.filter(|parts| parts.len() > 1).map(Value::Array)
}

/// Whether the items of a text can only be several: they are in brackets, or of a type or an enum that allows no comma.
fn are_words(schema: &Value, text: &str) -> bool {
    let item = schema.get("items").unwrap_or(&Value::Null);
    let text = text.trim();
    let free = kind(item) == Some("string") && item.get("enum").is_none() && item.get("format").is_none();
    !free || (text.starts_with('[') && text.ends_with(']'))
}

/// Returns whether a schema has several types, and the value is of one of them: then it is meant as it is.
fn is_one_of_several(schema: &Value, value: &Value) -> bool {
    let Some(Value::Array(kinds)) = schema.get("type") else { return false };
    let mut real = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
    let is_of = |kind: &str| match value {
        Value::Null => false,
        Value::Bool(_) => kind == "boolean",
        Value::Number(n) => kind == "number" || (kind == "integer" && !n.is_f64()),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    };
    real.clone().nth(1).is_some() && real.any(is_of)
}

/// Returns the integer for a number with a zero fraction: it satisfies the JSON Schema type `integer`, but serde
/// can't deserialize it into an integer type.
pub fn whole(schema: &Value, value: &Value) -> Option<Value> {
    let integers =
        schema.get("enum").and_then(Value::as_array).is_some_and(|words| words.iter().all(Value::is_i64));
    let fraction = value.as_number().is_some_and(serde_json::Number::is_f64);
    if fraction && (kind(schema) == Some("integer") || integers) { integer(value) } else { None }
}

/// Whether the value has the type of the schema, as far as a single value is concerned.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.contains(value);
    }
    match kind(schema) {
        Some("string") => value.is_string(),
        Some("integer") => is_integer(value),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        _ => false,
    }
}

fn boolean(word: &str) -> Option<Value> {
    let one_of = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if one_of(&YES) {
        return Some(true.into());
    }
    one_of(&NO).then(|| false.into())
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

/// Returns the RFC 3339 time for a date or for a time that lacks its zone or seconds.
fn instant(text: &str, zone: &str) -> Option<Value> {
    let text = text.trim();
    let at = |index: usize| text.as_bytes().get(index).copied().unwrap_or_default();
    let zoned = matches!(text.bytes().last(), Some(b'Z' | b'z'))
        || text.len().checked_sub(6).is_some_and(|index| matches!(at(index), b'+' | b'-'));
    let exact = matches!(at(10), b'T' | b't') && at(16) == b':' && zoned;
    if exact { None } else { instant_in(text, zone).map(Value::from) }
}

fn number(text: &str) -> Option<Value> {
    let value = parse_strict(text.trim().as_bytes()).ok()?;
    value.is_number().then_some(value)
}

/// Whether the value is a number without a fraction and without an exponent, of any size.
fn is_integer(value: &Value) -> bool {
    value.as_number().is_some_and(|number| !number.is_f64())
}

fn integer(value: &Value) -> Option<Value> {
    if is_integer(value) {
        return Some(value.clone());
    }
    let whole = value.as_f64().filter(|n| n.fract() == 0.0)?;
    format!("{whole:.0}").parse::<i64>().ok().map(Value::from)
}

fn parsed(text: &str, wanted: fn(&Value) -> bool) -> Option<Value> {
    let looks = text.trim_start().starts_with(['{', '[', '`']);
    let (value, repair) = looks.then(|| parse_lenient(text).ok()).flatten()?;
    Some(value).filter(|value| wanted(value) && repair < TextRepair::Prose)
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
