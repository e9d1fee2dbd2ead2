//! Gemini: one object with `functionDeclarations`, whose parameters use an OpenAPI subset.

use serde_json::{Map, Value, json};

use super::{
    Tool,
    rewrite::{
        DroppedKeyword, INTO_DESCRIPTION, OTHER_KEYWORD, SERVER_ONLY, describe, drop_keyword, note, plain,
        plain_root, walk,
    },
};

/// The keywords of the subset.
const KNOWN: [&str; 20] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "default",
    "minimum",
    "maximum",
];

pub fn tools(tools: &[Tool<'_>]) -> Value {
    let list: Vec<Value> = tools.iter().map(declaration).collect();
    if list.is_empty() { json!([]) } else { json!([{ "functionDeclarations": list }]) }
}

fn declaration(tool: &Tool<'_>) -> Value {
    let parameters = carry(&tool.input, &mut Vec::new());
    let mut out = Map::new();
    out.insert("name".into(), json!(tool.name));
    out.insert("description".into(), json!(tool.description));
    // Gemini refuses an object without properties, so a function without parameters omits `parameters`.
    let has_any = parameters.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
    if has_any {
        out.insert("parameters".into(), parameters);
    }
    Value::Object(out)
}

/// Converts a schema to the subset.
pub fn carry(input: &Value, dropped_keywords: &mut Vec<DroppedKeyword>) -> Value {
    let mut schema = plain(input);
    plain_root(&mut schema, dropped_keywords);
    walk(&mut schema, "", &mut |object, at| subset(object, at, dropped_keywords));
    schema
}

fn subset(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    one_type(object, at, dropped_keywords);
    if let Some(options) = object.shift_remove("oneOf") {
        note(dropped_keywords, at, "oneOf", OTHER_KEYWORD);
        object.entry("anyOf").or_insert(options);
    }
    null_option(object, at, dropped_keywords);
    words(object, at, dropped_keywords);
    let kept = |format: &str| ["date-time", "enum", "int32", "int64", "float", "double"].contains(&format);
    if object.get("format").and_then(Value::as_str).is_some_and(|format| !kept(format)) {
        drop_keyword(object, at, "format", dropped_keywords);
    }
    if object.shift_remove("additionalProperties").is_some() {
        note(dropped_keywords, at, "additionalProperties", SERVER_ONLY);
    }
    let unknown: Vec<String> = object.keys().filter(|key| !KNOWN.contains(&key.as_str())).cloned().collect();
    for keyword in unknown {
        drop_keyword(object, at, &keyword, dropped_keywords);
    }
}

/// Converts `["string", "null"]` to a nullable `string`, and several types to `anyOf`.
fn one_type(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    let Some(Value::Array(kinds)) = object.get("type").cloned() else { return };
    note(dropped_keywords, at, "type", OTHER_KEYWORD);
    let real: Vec<&Value> = kinds.iter().filter(|kind| **kind != "null").collect();
    if real.len() < kinds.len() {
        object.insert("nullable".into(), json!(true));
    }
    match real.as_slice() {
        [only] => drop(object.insert("type".into(), (*only).clone())),
        several => {
            let options: Vec<Value> = several.iter().map(|kind| json!({ "type": kind })).collect();
            object.shift_remove("type");
            object.entry("anyOf").or_insert(json!(options));
        }
    }
}

/// Converts a null option of `anyOf` to `nullable`. A single remaining option replaces the `anyOf`.
fn null_option(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    let Some(Value::Array(options)) = object.get_mut("anyOf") else { return };
    let before = options.len();
    options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
    let lost = options.len() < before;
    let only = (options.len() == 1).then(|| options.remove(0));
    if lost {
        note(dropped_keywords, at, "anyOf", OTHER_KEYWORD);
        object.insert("nullable".into(), json!(true));
    }
    if let Some(Value::Object(only)) = only {
        object.shift_remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

/// Converts enums and constants to string enums, the only ones that Gemini accepts.
fn words(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    if let Some(value) = object.shift_remove("const") {
        if value.is_string() {
            note(dropped_keywords, at, "const", OTHER_KEYWORD);
            object.insert("enum".into(), json!([value]));
        } else {
            note(dropped_keywords, at, "const", INTO_DESCRIPTION);
            describe(object, &format!("always {value}"));
        }
    }
    let Some(Value::Array(words)) = object.get_mut("enum") else { return };
    let before = words.len();
    words.retain(|word| !word.is_null());
    let (lost_null, all_text) = (words.len() < before, words.iter().all(Value::is_string));
    if lost_null {
        note(dropped_keywords, at, "enum", OTHER_KEYWORD);
        object.insert("nullable".into(), json!(true));
    }
    if all_text {
        object.entry("type").or_insert(json!("string"));
    } else {
        let whole =
            object.get("enum").and_then(Value::as_array).is_some_and(|all| all.iter().all(Value::is_i64));
        drop_keyword(object, at, "enum", dropped_keywords);
        object.entry("type").or_insert(json!(if whole { "integer" } else { "string" }));
    }
}
