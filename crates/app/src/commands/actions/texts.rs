//! `actions texts`: every text of the catalogue that models and people read, in a stable order.

use std::fmt::Write as _;

use serde_json::Value;
use toolcrib_registry::{ActionMeta, ActionRegistry};

/// Returns one paragraph for each action: its name and description, its warning, then one line for each
/// parameter (`in`) and each field of its output (`out`), by JSON pointer. `-` in a pointer is an item of a
/// list.
pub fn of_registry(registry: &ActionRegistry) -> String {
    let paragraphs: Vec<String> = registry.all().map(|meta| of_action(meta)).collect();
    paragraphs.join("\n")
}

fn of_action(meta: &ActionMeta) -> String {
    let spec = &meta.spec;
    // Writing into a string can't fail.
    let mut out = format!("{}: {}\n", spec.name, spec.description);
    if let Some(warning) = &spec.warning {
        let _ = writeln!(out, "  warning: {warning}");
    }
    for (side, schema) in [("in", meta.input.value()), ("out", meta.output.value())] {
        let mut lines = Vec::new();
        collect(schema, "", &mut lines);
        for (pointer, text) in lines {
            let _ = writeln!(out, "  {side} {pointer}: {}", text.replace('\n', " "));
        }
    }
    out
}

/// Collects the description of every part of a schema, in the order of declaration.
fn collect(schema: &Value, at: &str, lines: &mut Vec<(String, String)>) {
    let Some(object) = schema.as_object() else { return };
    let text = object.get("description").and_then(Value::as_str);
    // A parameter without a text is also listed, so that the missing text is visible.
    let named = !at.is_empty() && !at.ends_with("/-") && !at.ends_with("/*");
    if text.is_some() || (named && !lines.iter().any(|(known, _)| known == at)) {
        lines.push((at.to_owned(), text.unwrap_or_default().to_owned()));
    }
    for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        collect(property, &format!("{at}/{name}"), lines);
    }
    if let Some(items) = object.get("items") {
        collect(items, &format!("{at}/-"), lines);
    }
    if let Some(values) = object.get("additionalProperties") {
        collect(values, &format!("{at}/*"), lines);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for option in object.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect(option, at, lines);
        }
    }
}
