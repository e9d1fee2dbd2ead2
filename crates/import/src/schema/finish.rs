//! Adds what a schema has whatever its type is: a description, and null.

use serde_json::{Value, json};
use toolcrib_registry::accepts_null;
use toolcrib_toolset::MAX_PARAMETER_TEXT;

use crate::texts::{clean_line, clean_lines, is_clean};

/// The maximum length of a default in a description, in characters.
const MAX_DEFAULT: usize = 60;

/// Adds a description. A default is only described: sent by us, it would change what a partial update leaves as
/// it is.
pub fn describe(schema: &mut Value, text: &str, default: Option<&Value>) {
    let default = default.and_then(default_text).map(|text| format!("Default: {text}.")).unwrap_or_default();
    let most = MAX_PARAMETER_TEXT - default.len() - 1;
    let text = format!("{}\n{default}", clean_lines(text, most));
    let text = text.trim();
    if let Some(object) = schema.as_object_mut()
        && !text.is_empty()
    {
        object.insert("description".into(), json!(text));
    }
}

fn default_text(default: &Value) -> Option<String> {
    let text = match default {
        Value::String(text) => clean_line(text, MAX_DEFAULT),
        Value::Bool(_) | Value::Number(_) => default.to_string(),
        _ => return None,
    };
    (!text.is_empty() && text.len() <= MAX_DEFAULT && is_clean(&text)).then_some(text)
}

/// Removes null from the values of a schema. Returns whether it was one.
pub fn remove_null(schema: &mut Value) -> bool {
    let had_null = accepts_null(schema);
    let Some(object) = schema.as_object_mut().filter(|_| had_null) else { return false };
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    } else if object.get("type").is_some() {
        object.insert("type".into(), json!("string"));
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.retain(|option| option.get("type") != Some(&json!("null")));
        for option in options.iter_mut() {
            remove_null(option);
        }
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            object.shift_remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    true
}

pub fn add_null(schema: &mut Value) {
    if accepts_null(schema) {
        return;
    }
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
        return options.push(nothing);
    }
    let has_enum = schema.get("enum").is_some();
    match schema.get_mut("type") {
        // A list of values would need a null, which TOML does not have.
        Some(_) if has_enum => *schema = json!({ "anyOf": [schema.take(), nothing] }),
        Some(Value::Array(kinds)) => kinds.push(json!("null")),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {}
    }
}
