//! Adds what a schema has whatever its type is: a description, and null.

use serde_json::{Value, json};
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

/// Adds null to the values of a schema.
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

/// Returns whether null is a value of a schema.
pub fn accepts_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let kinds = schema.get("type");
    let options = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    kinds.is_some_and(|kinds| {
        is_null(kinds) || kinds.as_array().is_some_and(|kinds| kinds.iter().any(is_null))
    }) || options.into_iter().any(|option| option.get("type").is_some_and(is_null))
}
