//! Closes the objects of a schema, and bounds its strings and lists.

use serde_json::{Map, Value, json};

use crate::{
    defect::below,
    limits::{DEFAULT_MAX_ITEMS, DEFAULT_MAX_LENGTH},
    note::{CheckReport, NoteKind},
};

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// Returns the types of a schema. Adds a defect if a type is not known.
pub fn types_of(object: &Map<String, Value>, at: &str, report: &mut CheckReport) -> Vec<String> {
    let words: Vec<&Value> = match object.get("type") {
        None => return Vec::new(),
        Some(Value::Array(words)) if !words.is_empty() => words.iter().collect(),
        Some(word) => vec![word],
    };
    let known = |word: &&Value| word.as_str().is_some_and(|word| TYPES.contains(&word));
    if !words.iter().all(known) {
        report.defect(below(at, "type"), format!("must be one of {}", TYPES.join(", ")));
    }
    words.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Adds the bounds that a schema of these types does not have.
pub fn bound(object: &mut Map<String, Value>, types: &[String], at: &str, report: &mut CheckReport) {
    let is = |kind: &str| types.iter().any(|known| known == kind);
    let is_listed = object.contains_key("enum") || object.contains_key("const");
    if is("string") && !is_listed && !object.contains_key("maxLength") {
        object.insert("maxLength".into(), json!(DEFAULT_MAX_LENGTH));
        let message = format!("the string got `maxLength` {DEFAULT_MAX_LENGTH}");
        report.note(NoteKind::StringBounded, at, message);
    }
    if is("array") && !is_listed {
        bound_list(object, at, report);
    }
    if is("object") && !is_listed {
        close(object, at, report);
    }
}

fn bound_list(object: &mut Map<String, Value>, at: &str, report: &mut CheckReport) {
    if !object.contains_key("items") && !object.contains_key("prefixItems") {
        report.defect(at, "does not say what the items of the list are; add `items`");
    }
    if !object.contains_key("maxItems") {
        object.insert("maxItems".into(), json!(DEFAULT_MAX_ITEMS));
        report.note(NoteKind::ListBounded, at, format!("the list got `maxItems` {DEFAULT_MAX_ITEMS}"));
    }
}

fn close(object: &mut Map<String, Value>, at: &str, report: &mut CheckReport) {
    let has_options = |key: &str| {
        let options = object.get(key).and_then(Value::as_array).into_iter().flatten();
        options.filter_map(Value::as_object).any(|option| option.contains_key("properties"))
    };
    let choice = has_options("anyOf") || has_options("oneOf");
    if has_options("allOf") || (choice && object.contains_key("properties")) {
        let message = "can't be closed, because its properties are in several places; write them in one";
        return report.defect(at, message);
    }
    match object.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        // Each option is closed by itself.
        None if choice => {}
        None => {
            object.insert("additionalProperties".into(), json!(false));
            let message = "the object was closed: it has the properties that are listed and no others";
            report.note(NoteKind::ObjectClosed, at, message);
        }
        Some(Value::Bool(true) | Value::Object(_)) if object.contains_key("maxProperties") => {}
        Some(Value::Bool(true) | Value::Object(_)) => report.defect(
            below(at, "additionalProperties"),
            "makes the object unbounded; write `false`, or add `maxProperties`",
        ),
        Some(_) => report.defect(below(at, "additionalProperties"), "must be `true`, `false` or a schema"),
    }
}
