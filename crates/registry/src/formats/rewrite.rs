//! Rewrites schemas for a format and records the keywords that the format can't express.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::words::keyword_in_words;
use crate::validate::escape;

/// A keyword that a format can't express.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedKeyword {
    /// JSON pointer to the schema that contains the keyword.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Where the constraint went: one of the constants below.
    pub went: &'static str,
}

/// The description states the constraint in words.
pub const INTO_DESCRIPTION: &str = "into the description";
/// Another keyword of the format expresses the constraint.
pub const OTHER_KEYWORD: &str = "into another keyword";
/// Only the server checks the constraint.
pub const SERVER_ONLY: &str = "checked by the server only";

type Object = Map<String, Value>;

/// Calls `visit` for a schema and every schema inside it, with its JSON pointer. Inner schemas come first.
pub fn walk(schema: &mut Value, at: &str, visit: &mut impl FnMut(&mut Object, &str)) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["properties", "patternProperties", "$defs"] {
        for (name, inner) in object.get_mut(key).and_then(Value::as_object_mut).into_iter().flatten() {
            walk(inner, &format!("{at}/{key}/{}", escape(name)), visit);
        }
    }
    for key in ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"] {
        if let Some(inner) = object.get_mut(key) {
            walk(inner, &format!("{at}/{key}"), visit);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for (index, inner) in
            object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().enumerate()
        {
            walk(inner, &format!("{at}/{key}/{index}"), visit);
        }
    }
    visit(object, at);
}

/// Returns a copy without our own `x-…` keywords, with the keywords in the order of lists.
pub fn plain(schema: &Value) -> Value {
    let mut copy = schema.clone();
    walk(&mut copy, "", &mut |object, _| {
        object.retain(|key, _| !key.starts_with("x-"));
        order(object);
    });
    copy
}

/// Puts the description first and the type last, except in the schema of an object. A token of the models'
/// vocabularies often joins a keyword with its punctuation; in this order a list has the fewest tokens.
fn order(object: &mut Object) {
    if object.contains_key("properties") {
        return;
    }
    if let Some(text) = object.shift_remove("description") {
        object.shift_insert(0, "description".into(), text);
    }
    if let Some(kind) = object.shift_remove("type") {
        object.insert("type".into(), kind);
    }
}

/// Removes a keyword from a schema. Adds its constraint to the description if there are words for it.
pub fn drop_keyword(
    object: &mut Object,
    at: &str,
    keyword: &str,
    dropped_keywords: &mut Vec<DroppedKeyword>,
) {
    let Some(value) = object.shift_remove(keyword) else { return };
    let went = match keyword_in_words(keyword, &value) {
        Some(words) => {
            describe(object, &words);
            INTO_DESCRIPTION
        }
        None => SERVER_ONLY,
    };
    note(dropped_keywords, at, keyword, went);
}

/// Appends words to a schema's description, as a sentence.
pub fn describe(object: &mut Object, words: &str) {
    let mut rest = words.chars();
    let Some(first) = rest.next() else { return };
    let sentence: String = first.to_uppercase().chain(rest).chain(['.']).collect();
    match object.get_mut("description") {
        Some(Value::String(there)) if !there.is_empty() => {
            let stop = if there.ends_with(['.', '!', '?']) { "" } else { "." };
            *there = format!("{there}{stop} {sentence}");
        }
        _ => drop(object.shift_insert(0, "description".into(), json!(sentence))),
    }
}

/// Records a dropped keyword.
pub fn note(dropped_keywords: &mut Vec<DroppedKeyword>, at: &str, keyword: &str, went: &'static str) {
    dropped_keywords.push(DroppedKeyword { pointer: at.to_owned(), keyword: keyword.to_owned(), went });
}

/// Converts a schema to the form that is not strict, from which the subsets of OpenAI, Anthropic and Gemini are made.
pub fn carry(input: &Value, dropped_keywords: &mut Vec<DroppedKeyword>) -> Value {
    let mut schema = plain(input);
    plain_root(&mut schema, dropped_keywords);
    schema
}

/// Removes combinators such as `anyOf` from the root, because providers refuse them there.
fn plain_root(schema: &mut Value, dropped_keywords: &mut Vec<DroppedKeyword>) {
    let Some(root) = schema.as_object_mut() else { return };
    for keyword in
        ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "dependentRequired"]
    {
        drop_keyword(root, "", keyword, dropped_keywords);
    }
    root.entry("type").or_insert(json!("object"));
    root.entry("properties").or_insert(json!({}));
}

/// Returns the names in `required`.
pub fn required(object: &Object) -> Vec<String> {
    let names = object.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
