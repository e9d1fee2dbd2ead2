//! Gemini: one object with `functionDeclarations`, whose parameters use an OpenAPI subset.
//!
//! The subset has no object without properties and no list without a type of its items. A value that may be one is a
//! text with JSON in it, which [`read_json_texts`] parses. Gemini's `parametersJsonSchema` could describe such an
//! object, but its Live API, older client libraries and proxies do not know it.

use serde_json::{Map, Value, json};
use toolcrib_model::parse_strict;

use super::{
    Tool,
    rewrite::{
        self, DroppedKeyword, INTO_DESCRIPTION, OTHER_KEYWORD, SERVER_ONLY, describe, drop_keyword, note,
        walk,
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

/// Keywords that leave open what a value is.
const SAYS_NOTHING: [&str; 7] =
    ["title", "description", "default", "example", "examples", "deprecated", "nullable"];

/// Keywords that a text with JSON in it does not have: those of objects and lists, and those of texts.
const OF_FREE_VALUES: [&str; 17] = [
    "enum",
    "const",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "uniqueItems",
    "prefixItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "examples",
];

/// The keywords of each type.
const OF_TYPES: [(&[&str], &[&str]); 4] = [
    (&["string"], &["minLength", "maxLength", "pattern", "format"]),
    (&["number", "integer"], &["minimum", "maximum"]),
    (&["array"], &["items", "minItems", "maxItems"]),
    (&["object"], &["properties", "required", "minProperties", "maxProperties"]),
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
    let mut schema = rewrite::carry(input, dropped_keywords);
    walk(&mut schema, "", &mut |object, at| subset(object, at, dropped_keywords));
    schema
}

fn subset(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    // The root is the object of the parameters. Without parameters it is left out.
    if !at.is_empty() {
        json_text(object, at, dropped_keywords);
    }
    let kept = |format: &str| ["date-time", "enum", "int32", "int64", "float", "double"].contains(&format);
    if object.get("format").and_then(Value::as_str).is_some_and(|format| !kept(format)) {
        drop_keyword(object, at, "format", dropped_keywords);
    }
    one_type(object, at, dropped_keywords);
    if let Some(options) = object.shift_remove("oneOf") {
        note(dropped_keywords, at, "oneOf", OTHER_KEYWORD);
        object.entry("anyOf").or_insert(options);
    }
    null_option(object, at, dropped_keywords);
    words(object, at, dropped_keywords);
    if object.shift_remove("additionalProperties").is_some() {
        note(dropped_keywords, at, "additionalProperties", SERVER_ONLY);
    }
    let unknown: Vec<String> = object.keys().filter(|key| !KNOWN.contains(&key.as_str())).cloned().collect();
    for keyword in unknown {
        drop_keyword(object, at, &keyword, dropped_keywords);
    }
}

/// Returns the types of a schema. A schema that says nothing admits all.
fn types(object: &Map<String, Value>) -> Vec<&str> {
    match object.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        None if object.contains_key("properties") => vec!["object"],
        None if object.keys().all(|key| SAYS_NOTHING.contains(&key.as_str()) || key.starts_with("x-")) => {
            vec!["string", "number", "boolean", "object", "array", "null"]
        }
        Some(_) | None => Vec::new(),
    }
}

/// Returns those of the types that the subset can't express: an object without properties, and a list that does not say
/// what its items are.
fn free_types<'t>(object: &Map<String, Value>, types: &[&'t str]) -> Vec<&'t str> {
    let has_properties =
        object.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty());
    let is_free = |kind: &&&str| match **kind {
        "object" => !has_properties,
        "array" => !object.contains_key("items"),
        _ => false,
    };
    types.iter().filter(is_free).copied().collect()
}

/// Replaces the types that the subset can't express by a text with JSON in it.
fn json_text(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    let types: Vec<String> = types(object).into_iter().map(str::to_owned).collect();
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let free = free_types(object, &types);
    if free.is_empty() {
        if types.as_slice() == ["object"] {
            object.insert("type".into(), json!("object"));
        }
        return;
    }
    let mut kept: Vec<&str> = types.iter().copied().filter(|kind| !free.contains(kind)).collect();
    let is_text_only = kept.iter().all(|kind| *kind == "null");
    let words = match free.as_slice() {
        ["object"] if is_text_only => "a JSON object as text",
        ["array"] if is_text_only => "a JSON list as text",
        ["object"] => "an object is given as JSON text",
        ["array"] => "a list is given as JSON text",
        _ => "an object or a list is given as JSON text",
    };
    if !kept.contains(&"string") {
        kept.insert(0, "string");
    }
    let type_of_kept = if let [only] = kept.as_slice() { json!(only) } else { json!(kept) };
    for keyword in OF_FREE_VALUES {
        drop_keyword(object, at, keyword, dropped_keywords);
    }
    object.insert("type".into(), type_of_kept);
    note(dropped_keywords, at, "type", INTO_DESCRIPTION);
    describe(object, words);
}

/// Parses the texts with JSON in them that stand for an object or a list, and leaves all others.
pub fn read_json_texts(schema: &Value, value: &mut Value) {
    let Some(object) = schema.as_object() else { return };
    for key in ["anyOf", "oneOf"] {
        for option in object.get(key).and_then(Value::as_array).into_iter().flatten() {
            read_json_texts(option, value);
        }
    }
    if let Value::String(text) = value
        && text.trim_start().starts_with(['{', '['])
        && let Ok(read) = parse_strict(text.as_bytes())
    {
        let kind = if read.is_object() { "object" } else { "array" };
        if free_types(object, &types(object)).contains(&kind) {
            *value = read;
        }
        return;
    }
    match value {
        Value::Object(fields) => {
            let properties = object.get("properties").and_then(Value::as_object);
            for (name, schema) in properties.into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    read_json_texts(schema, field);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = object.get("items") {
                for item in items {
                    read_json_texts(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Converts `["string", "null"]` to a nullable `string`, and several types to `anyOf`.
fn one_type(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    let kinds = match object.get("type") {
        Some(Value::Array(kinds)) => kinds.clone(),
        // An option of a choice makes the choice nullable.
        Some(kind) if kind == "null" && !is_option(at) => vec![kind.clone()],
        _ => return,
    };
    note(dropped_keywords, at, "type", OTHER_KEYWORD);
    let words = object.get("enum").and_then(Value::as_array);
    let is_of = |kind: &Value, word: &Value| kind == type_of(word) || (kind == "number" && word.is_number());
    let has_word = |kind: &Value| words.is_none_or(|words| words.iter().any(|word| is_of(kind, word)));
    let real: Vec<&Value> = kinds.iter().filter(|kind| **kind != "null" && has_word(kind)).collect();
    if real.len() < kinds.len() {
        object.insert("nullable".into(), json!(true));
    }
    match real.as_slice() {
        // Null alone: the subset has no such type.
        [] => drop(object.insert("type".into(), json!("string"))),
        [only] => drop(object.insert("type".into(), (*only).clone())),
        several => {
            let options: Vec<Value> = several.iter().map(|kind| option(kind, object)).collect();
            object.shift_remove("type");
            for keyword in OF_TYPES.iter().flat_map(|(_, keywords)| *keywords) {
                object.shift_remove(*keyword);
            }
            object.entry("anyOf").or_insert(json!(options));
        }
    }
}

/// Returns whether a pointer leads to an option of a choice.
fn is_option(at: &str) -> bool {
    matches!(at.rsplit('/').nth(1), Some("anyOf" | "oneOf"))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the schema for one of several types: a keyword is for the values of its type alone.
fn option(kind: &Value, object: &Map<String, Value>) -> Value {
    let mut option = Map::from_iter([("type".to_owned(), kind.clone())]);
    let of_kind = OF_TYPES.iter().filter(|(known, _)| known.iter().any(|known| kind == known));
    for keyword in of_kind.flat_map(|(_, keywords)| *keywords) {
        if let Some(value) = object.get(*keyword) {
            option.insert((*keyword).to_owned(), value.clone());
        }
    }
    Value::Object(option)
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
        if !object.contains_key("anyOf") {
            object.entry("type").or_insert(json!(if whole { "integer" } else { "string" }));
        }
    }
}
