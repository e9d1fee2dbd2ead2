//! Formats an action as one line: `create_task(title, description, priority?: urgent|high|medium|low)`.

use serde_json::{Map, Value};

use crate::{ActionMeta, ConfirmationLevel};

/// The maximum number of enum words in a line. The error for an unknown word lists all of them.
const MAX_ENUM_WORDS: usize = 12;
/// Objects nested deeper than this are shown as `object`.
const DEEPEST: usize = 2;

/// Formats the action's short name with its parameters. `?` marks an optional parameter. A final `*` means
/// that a person must approve the call.
pub fn signature(meta: &ActionMeta) -> String {
    let parameters = meta.input.read().as_object().map(|root| fields(root, 0)).unwrap_or_default();
    let star = if meta.spec.confirmation == ConfirmationLevel::None { "" } else { "*" };
    format!("{}({parameters}){star}", meta.spec.short_name())
}

fn fields(object: &Map<String, Value>, depth: usize) -> String {
    let required = object.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|v| v == name));
    let properties = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    let shown = properties.map(|(name, schema)| {
        let mark = if is_required(name) { "" } else { "?" };
        match kind(schema, depth) {
            Some(kind) => format!("{name}{mark}: {kind}"),
            None => format!("{name}{mark}"),
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Describes the type of a value. Returns `None` for plain text, which is the default.
fn kind(schema: &Value, depth: usize) -> Option<String> {
    let object = schema.as_object()?;
    if let Some(Value::Array(words)) = object.get("enum") {
        return Some(one_of(words));
    }
    if let Some(Value::Array(options)) = object.get("anyOf").or_else(|| object.get("oneOf")) {
        let kinds: Vec<String> = options.iter().map(|o| kind(o, depth).unwrap_or("str".into())).collect();
        return Some(kinds.join("|"));
    }
    match object.get("type") {
        None => object.contains_key("x-free").then(|| "any".into()),
        // A schema that names every type admits any value.
        Some(Value::Array(types)) if object.contains_key("x-free") && types.len() > 4 => Some("any".into()),
        Some(Value::Array(types)) => {
            let of = |t: &Value| t.as_str().and_then(|t| named(t, object, depth)).unwrap_or("str".into());
            Some(types.iter().map(of).collect::<Vec<_>>().join("|"))
        }
        Some(one) => named(one.as_str()?, object, depth),
    }
}

fn named(name: &str, object: &Map<String, Value>, depth: usize) -> Option<String> {
    Some(match name {
        "integer" => range(object).unwrap_or("int".into()),
        "number" => range(object).unwrap_or("number".into()),
        "boolean" => "bool".into(),
        "null" => "null".into(),
        "array" => {
            let item = object.get("items").and_then(|items| kind(items, depth));
            format!("[{}]", item.as_deref().unwrap_or("str"))
        }
        "object" if depth < DEEPEST && object.contains_key("properties") => {
            format!("{{{}}}", fields(object, depth + 1))
        }
        "object" => "object".into(),
        _ => return None,
    })
}

fn range(object: &Map<String, Value>) -> Option<String> {
    Some(format!("{}..{}", object.get("minimum")?, object.get("maximum")?))
}

fn one_of(words: &[Value]) -> String {
    let shown =
        words.iter().take(MAX_ENUM_WORDS).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
    let mut text = shown.collect::<Vec<_>>().join("|");
    if words.len() > MAX_ENUM_WORDS {
        text.push_str("|…");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_are_short() {
        let cases = [
            (json!({"type": "string", "maxLength": 9}), None),
            (json!({"type": "integer"}), Some("int")),
            (json!({"type": "number", "minimum": 0, "maximum": 2}), Some("0..2")),
            (json!({"type": "boolean"}), Some("bool")),
            (json!({"type": "integer", "enum": [15, 30]}), Some("15|30")),
            (
                json!({"type": "array", "items": {"type": "object", "required": ["title"],
                "properties": {"title": {"type": "string"}, "at": {"type": "integer"}}}}),
                Some("[{title, at?: int}]"),
            ),
            (json!({"type": "object", "maxProperties": 9, "x-free": true}), Some("object")),
            (json!({"x-free": true}), Some("any")),
            (json!({"type": "array", "items": {"x-free": true}}), Some("[any]")),
            (
                json!({"type": ["string", "number", "boolean", "object", "array", "null"], "x-free": true}),
                Some("any"),
            ),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), Some("str|null")),
            (json!({"type": ["string", "null"]}), Some("str|null")),
        ];
        for (schema, wanted) in cases {
            assert_eq!(kind(&schema, 0).as_deref(), wanted, "{schema}");
        }
    }

    #[test]
    fn long_enums_are_cut() {
        let words: Vec<String> = (0..20).map(|n| format!("w{n}")).collect();
        assert!(kind(&json!({ "enum": words }), 0).unwrap().ends_with("w11|…"));
    }
}
