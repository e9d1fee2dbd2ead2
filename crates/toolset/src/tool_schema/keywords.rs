//! The keywords that the schema of a tool may have.

use serde_json::{Map, Value, json};
use toolcrib_model::count;

use crate::{
    defect::{below, quoted},
    limits::{MAX_ENUM, MAX_PARAMETER_TEXT},
    note::{CheckReport, NoteKind},
    structure::unknown,
};

/// What the value of a keyword is.
#[derive(Clone, Copy)]
enum Form {
    Any,
    Text,
    Switch,
    Number,
    /// A whole number from 0.
    Length,
    List,
    Object,
    Schema,
}

/// The known keywords.
const KEYWORDS: [(&str, Form); 43] = [
    ("type", Form::Any),
    ("properties", Form::Object),
    ("required", Form::List),
    ("additionalProperties", Form::Any),
    ("minProperties", Form::Length),
    ("maxProperties", Form::Length),
    ("propertyNames", Form::Schema),
    ("dependentRequired", Form::Object),
    ("items", Form::Schema),
    ("prefixItems", Form::List),
    ("minItems", Form::Length),
    ("maxItems", Form::Length),
    ("uniqueItems", Form::Switch),
    ("minLength", Form::Length),
    ("maxLength", Form::Length),
    ("pattern", Form::Text),
    ("format", Form::Text),
    ("minimum", Form::Number),
    ("maximum", Form::Number),
    ("exclusiveMinimum", Form::Number),
    ("exclusiveMaximum", Form::Number),
    ("multipleOf", Form::Number),
    ("enum", Form::List),
    ("const", Form::Any),
    ("default", Form::Any),
    ("title", Form::Text),
    ("description", Form::Text),
    ("examples", Form::List),
    ("deprecated", Form::Switch),
    ("readOnly", Form::Switch),
    ("writeOnly", Form::Switch),
    ("anyOf", Form::List),
    ("oneOf", Form::List),
    ("allOf", Form::List),
    ("not", Form::Schema),
    ("$ref", Form::Text),
    ("$defs", Form::Object),
    ("definitions", Form::Object),
    ("$schema", Form::Text),
    ("$comment", Form::Text),
    ("x-sensitive", Form::Switch),
    ("x-nullable", Form::Switch),
    ("x-free", Form::Switch),
];

/// Further extensions that the platform knows.
const EXTENSIONS: [&str; 2] = ["x-raw", "x-sensitive-query"];

/// Keywords of JSON Schema that are refused, because the formats of providers can't express them or because
/// they make a schema open.
const REFUSED: [&str; 15] = [
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "patternProperties",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
];

/// Checks the keywords of one schema and the form of their values. Removes the wrong ones.
pub fn check_keywords(object: &mut Map<String, Value>, at: &str, report: &mut CheckReport) {
    object.retain(|key, value| {
        let at = below(at, key);
        if REFUSED.contains(&key.as_str()) {
            report.defect(at, "not supported in the schema of a tool; say it in the description");
            return false;
        }
        let Some((_, form)) = KEYWORDS.iter().find(|(known, _)| known == key) else {
            check_unknown(key, at, report);
            return key.starts_with("x-");
        };
        if let (Form::Length, Some(length)) = (form, length(value)) {
            *value = json!(length);
        }
        let wrong = wrong_form(*form, value);
        if let Some(message) = wrong {
            report.defect(at, message);
        }
        wrong.is_none()
    });
    check_values(object, at, report);
}

fn check_unknown(key: &str, at: String, report: &mut CheckReport) {
    if EXTENSIONS.contains(&key) {
        return;
    }
    if key.starts_with("x-") {
        report.note(NoteKind::UnknownKeyword, at, "not a known extension; it has no effect");
        return;
    }
    let known: Vec<String> = KEYWORDS.iter().map(|(known, _)| (*known).to_owned()).collect();
    let message = unknown(key, &known);
    // The whole list of keywords would be longer than it is useful.
    let message =
        if message.contains("the keys here") { "not a keyword of JSON Schema; remove it" } else { &message };
    report.defect(at, message);
}

/// Returns a length: a whole number from 0, which may be written with a fraction of zeros, such as `1.0`.
pub fn length(value: &Value) -> Option<u64> {
    /// The first number that not every parser reads as the same.
    const MAX: f64 = 9_007_199_254_740_992.0;
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..MAX).contains(number);
    value.as_u64().or_else(|| format!("{:.0}", value.as_f64().filter(whole)?).parse().ok())
}

fn wrong_form(form: Form, value: &Value) -> Option<&'static str> {
    match form {
        Form::Text if !value.is_string() => Some("must be a string"),
        Form::Switch if !value.is_boolean() => Some("must be `true` or `false`"),
        Form::Number if !value.is_number() => Some("must be a number"),
        Form::Length if value.as_u64().is_none() => Some("must be a whole number from 0"),
        Form::List if !value.is_array() => Some("must be a list"),
        Form::Object if !value.is_object() => Some("must be an object"),
        Form::Schema if !value.is_object() => Some("must be a schema: an object"),
        _ => None,
    }
}

/// Checks the values of keywords that concern one schema alone.
fn check_values(object: &Map<String, Value>, at: &str, report: &mut CheckReport) {
    let list = |key: &str| object.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        if values.is_empty() {
            report.defect(below(at, "enum"), "must have at least 1 item");
        } else if values.len() > MAX_ENUM {
            let found = count(values.len(), "item");
            report.defect(below(at, "enum"), format!("has {found}; at most {MAX_ENUM} are possible"));
        }
    }
    if let Some(text) = object.get("description").and_then(Value::as_str) {
        let length = text.chars().count();
        if length > MAX_PARAMETER_TEXT {
            let message = format!("has {length} characters; at most {MAX_PARAMETER_TEXT} are possible");
            report.defect(below(at, "description"), message);
        }
    }
    if object.get("x-free") == Some(&Value::Bool(false)) {
        report.defect(below(at, "x-free"), "can only be `true`; remove it");
    }
    if object.get("x-sensitive") == Some(&Value::Bool(false)) {
        report.defect(below(at, "x-sensitive"), "can only be `true`; remove it for what is not sensitive");
    }
    if let Some(required) = list("required") {
        let properties = object.get("properties").and_then(Value::as_object);
        for (position, name) in required.iter().enumerate() {
            let at = below(&below(at, "required"), position);
            match name.as_str() {
                None => report.defect(at, "must be the name of a property"),
                Some(name) if properties.is_some_and(|known| !known.contains_key(name)) => {
                    report.defect(at, format!("{} is no property", quoted(name)));
                }
                Some(_) => {}
            }
        }
    }
}
