//! Validates arguments against their schema. Returns every error with a JSON pointer and what was expected.
#![deny(missing_docs)]

use jsonschema::{
    PatternOptions, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use serde_path_to_error::Segment;
use toolcrib_model::count;

use crate::likeness::nearest;

/// The parameter of operations that stands in a header of the request, `If-Match`.
const OF_HEADER: &str = "if_match";

/// The words with which a message goes on after the name of its parameter, such as "`name` must not be empty".
const VERBS: &[&str] = &[
    "admits", "are", "belongs", "can", "can't", "changes", "contains", "does", "follows", "goes", "has",
    "have", "hold", "holds", "is", "lacks", "makes", "may", "must", "names", "need", "needs", "pins",
    "refers", "returns", "should", "stands", "takes", "uses", "was",
];

/// A problem of the arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgError {
    /// JSON pointer into the arguments, such as `/temperature`.
    pub pointer: String,
    /// Schema keyword that was violated, such as `maximum`, or the name of a rule.
    pub code: String,
    /// Expected value.
    pub message: String,
    /// Value that was given, cut to 200 characters; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<Value>,
}

impl ArgError {
    /// Creates an error of a rule that a schema can't express.
    pub fn new(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self { pointer: pointer.to_owned(), code: code.to_owned(), message: message.into(), got: None }
    }

    /// Returns the message with the name of its parameter, unless it begins with a name.
    pub fn sentence(&self) -> String {
        let is_named = self.message.starts_with('`');
        self.about(if is_named { "" } else { self.pointer.trim_start_matches('/') })
    }

    /// Returns the message with its pointer.
    pub fn located(&self) -> String {
        self.about(&self.pointer)
    }

    fn about(&self, place: &str) -> String {
        if place.is_empty() {
            return self.message.clone();
        }
        let is_continued = self.message.split(' ').next().is_some_and(|word| VERBS.contains(&word));
        let colon = if is_continued { "" } else { ":" };
        format!("`{place}`{colon} {}", self.message)
    }
}

/// A compiled validator.
#[derive(Debug)]
pub struct Checker(Validator);

impl Checker {
    pub fn new(schema: &Value) -> Result<Self, String> {
        jsonschema::options()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .build(schema)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    pub fn errors(&self, schema: &Value, arguments: &Value) -> Vec<ArgError> {
        if self.0.is_valid(arguments) {
            return Vec::new();
        }
        self.0.iter_errors(arguments).flat_map(|error| explain(schema, &error)).collect()
    }
}

/// Trims strings if `trims`, unless their schema has `x-raw`. Removes nulls of known fields, unless null is a value: of
/// a required field whose schema accepts null, and of an optional one whose schema has `x-nullable`.
pub fn tidy(schema: &Value, value: &mut Value, trims: bool) {
    match value {
        Value::String(text) if trims && schema.get("x-raw").is_none() && text.trim().len() != text.len() => {
            *text = text.trim().to_owned();
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    tidy(schema, item, trims);
                }
            }
        }
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties") else { return };
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = |key: &str| required.is_some_and(|names| names.iter().any(|name| name == key));
            let is_value = |key: &str, property: &Value| {
                property.get("x-nullable").is_some() || (accepts_null(property) && is_required(key))
            };
            fields.retain(|key, field| {
                !field.is_null() || properties.get(key).is_none_or(|property| is_value(key, property))
            });
            for (key, field) in fields.iter_mut() {
                if let Some(schema) = properties.get(key) {
                    tidy(schema, field, trims);
                }
            }
        }
        _ => {}
    }
}

/// Returns whether null is a value of a schema.
pub fn accepts_null(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema == &Value::Bool(true) };
    let has_null = |values: &Value| values.as_array().is_some_and(|all| all.contains(&Value::Null));
    let of_type =
        |kind: &Value| kind == "null" || kind.as_array().is_some_and(|all| all.iter().any(|k| k == "null"));
    let options = |value: &Value| value.as_array().is_none_or(|all| all.iter().any(accepts_null));
    schema.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" => of_type(value),
        "enum" => has_null(value),
        "const" => value.is_null(),
        "anyOf" | "oneOf" => options(value),
        "allOf" => value.as_array().is_none_or(|all| all.iter().all(accepts_null)),
        _ => true,
    })
}

fn explain(schema: &Value, error: &jsonschema::ValidationError<'_>) -> Vec<ArgError> {
    let base = error.instance_path().to_string();
    let sensitive = at(schema, &base).is_some_and(|schema| schema.get("x-sensitive").is_some());
    let one = |code: &str, message: String| {
        let got = (!sensitive).then(|| cut(error.instance()));
        vec![ArgError { pointer: base.clone(), code: code.into(), message, got }]
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let known = at(schema, &base).and_then(|s| s.get("properties")).and_then(Value::as_object);
            let known: Vec<&str> = known.map(|p| p.keys().map(String::as_str).collect()).unwrap_or_default();
            let is_open = |name: &&str| *name != OF_HEADER && error.instance().get(*name).is_none();
            let open: Vec<&str> = known.iter().copied().filter(is_open).collect();
            unexpected.iter().map(|key| unknown_key(&base, key, &known, &open)).collect()
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![ArgError::new(
                &format!("{base}/{}", escape(name)),
                "required",
                format!("`{name}` is required"),
            )]
        }
        Kind::Type { kind } => one("type", format!("must be {}", types(kind))),
        Kind::Enum { options } => one("enum", format!("must be one of {}", list(options))),
        Kind::Minimum { limit } => one("minimum", format!("must be at least {limit}")),
        Kind::Maximum { limit } => one("maximum", format!("must be at most {limit}")),
        Kind::ExclusiveMinimum { limit } => one("exclusiveMinimum", format!("must be more than {limit}")),
        Kind::ExclusiveMaximum { limit } => one("exclusiveMaximum", format!("must be less than {limit}")),
        Kind::MinLength { limit: 1 } => one("minLength", "must not be empty".into()),
        Kind::MinLength { limit } => {
            one("minLength", format!("must have at least {}", count(limit, "character")))
        }
        Kind::MaxLength { limit } => {
            one("maxLength", format!("must have at most {}", count(limit, "character")))
        }
        Kind::MinItems { limit } => one("minItems", format!("must have at least {}", count(limit, "item"))),
        Kind::MaxItems { limit } => one("maxItems", format!("must have at most {}", count(limit, "item"))),
        Kind::MinProperties { limit } => {
            one("minProperties", format!("must have at least {}", count(limit, "field")))
        }
        Kind::MaxProperties { limit } => {
            one("maxProperties", format!("must have at most {}", count(limit, "field")))
        }
        Kind::UniqueItems => one("uniqueItems", "must not contain the same item twice".into()),
        Kind::Pattern { pattern } => one("pattern", format!("must match `{pattern}`")),
        Kind::Format { format } => one("format", format!("must be {}", format_words(format))),
        kind => one(kind.keyword(), "does not match the schema".into()),
    }
}

/// Makes the error of a key. Of the `known` parameters, those are `open` that the arguments do not have: the others may
/// stand in the path of the request, and can't be given again.
fn unknown_key(base: &str, key: &str, known: &[&str], open: &[&str]) -> ArgError {
    let near = nearest(key, open);
    let message = match near {
        Some(near) => format!("`{key}` is not a parameter; did you mean `{near}`"),
        None if known.is_empty() => format!("`{key}` is not a parameter; this action has none"),
        None if open.is_empty() => format!("`{key}` is not a parameter; this action has no others"),
        None if open.len() == known.len() => {
            format!("`{key}` is not a parameter; the parameters are {}", open.join(", "))
        }
        None => format!("`{key}` is not a parameter; other parameters are {}", open.join(", ")),
    };
    ArgError::new(&format!("{base}/{}", escape(key)), "additionalProperties", message)
}

/// Returns the schema of the value at a JSON pointer. Follows `properties` and `items` only.
pub fn at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        schema.get("properties").and_then(|p| p.get(&part)).or_else(|| schema.get("items"))
    })
}

/// Returns a key as a part of a JSON pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn list(options: &Value) -> String {
    let words = options
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
    words.collect::<Vec<_>>().join(", ")
}

/// Deserializes arguments that their schema has accepted. What the type still refuses, such as an integer of more than 64
/// bits, is an error with its pointer.
pub fn deserialize<T: DeserializeOwned>(arguments: Value) -> Result<T, ArgError> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let part = |segment: &Segment| match segment {
            Segment::Map { key } => format!("/{}", escape(key)),
            Segment::Seq { index } => format!("/{index}"),
            Segment::Enum { .. } | Segment::Unknown => String::new(),
        };
        let pointer: String = error.path().iter().map(part).collect();
        let message = match error.into_inner().to_string() {
            // What `serde_json` says of a number that does not fit into the type.
            text if text == "invalid number" => "is out of range".to_owned(),
            text => text,
        };
        ArgError::new(&pointer, "type", message)
    })
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => article(&one.to_string()),
        TypeKind::Multiple(set) => {
            set.iter().map(|t| article(&t.to_string())).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn article(word: &str) -> String {
    match word {
        "integer" => "an integer".into(),
        "object" => "an object".into(),
        "array" => "a list".into(),
        "null" => "null".into(),
        other => format!("a {other}"),
    }
}

fn format_words(format: &str) -> String {
    match format {
        "uuid" => "an id such as 01890a5d-ac96-774b-bcce-b302099a8057".into(),
        "date-time" => "an RFC 3339 time such as 2026-01-31T09:00:00Z".into(),
        "uri" => "an absolute URL".into(),
        other => format!("a valid {other}"),
    }
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 200 => {
            Value::String(text.chars().take(199).chain(['…']).collect())
        }
        Value::Array(items) => Value::String(count(items.len(), "item")),
        Value::Object(_) => Value::String("an object".into()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::ArgError;
    use crate::InputSchema;

    fn schema() -> InputSchema {
        InputSchema::new(
            json!({"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 5},
            "temperature": {"type": "number", "maximum": 2},
            "description": {"type": "string", "maxLength": 10},
            "password": {"type": "string", "maxLength": 10, "x-sensitive": true}}}),
        )
        .unwrap()
    }

    #[test]
    fn what_is_sensitive_is_not_said_again() {
        for bad in [json!("a very long secret"), json!(7)] {
            let errors = schema().check(&mut json!({"name": "a", "password": bad}));
            assert_eq!((errors.len(), errors[0].pointer.as_str(), &errors[0].got), (1, "/password", &None));
        }
    }

    #[test]
    fn what_the_type_refuses_has_its_pointer() {
        let numbers = json!({"type": "array", "items": {"type": "integer"}});
        let schema = json!({"type": "object", "maxProperties": 1, "additionalProperties": numbers});
        let schema = InputSchema::new(schema).unwrap();
        let read = |value| schema.deserialize::<BTreeMap<String, Vec<i64>>>(value);
        assert_eq!(read(json!({"a": [5]})).unwrap()["a"], [5]);
        let errors = read(json!({"a": [1, 9_223_372_036_854_775_808_u64]})).unwrap_err();
        assert_eq!((errors[0].pointer.as_str(), errors[0].message.as_str()), ("/a/1", "is out of range"));
        assert_eq!(read(json!({"a": [], "b": []})).unwrap_err()[0].message, "must have at most 1 field");
    }

    #[test]
    fn every_error_is_reported_with_its_pointer() {
        let mut bad = json!({"temperature": 7, "descripton": "x"});
        let errors = schema().check(&mut bad);
        let of = |pointer: &str| errors.iter().find(|e| e.pointer == pointer).unwrap();
        assert_eq!(errors.len(), 3);
        assert_eq!(of("/temperature").message, "must be at most 2");
        assert_eq!(of("/temperature").got, Some(json!(7)));
        assert_eq!(of("/name").code, "required");
        assert!(of("/descripton").message.ends_with("did you mean `description`"));
    }

    #[test]
    fn strings_are_trimmed_and_nulls_of_optional_parameters_dropped() {
        let mut args = json!({"name": "  abc ", "description": null});
        assert_eq!(schema().check(&mut args), []);
        assert_eq!(args, json!({"name": "abc"}));
        assert_eq!(schema().check(&mut json!({"name": "   "}))[0].message, "must not be empty");
    }

    #[test]
    fn null_is_a_value_of_a_required_parameter_that_accepts_it() {
        for property in [
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"enum": ["a", null]}),
            json!({"const": null}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
            json!({"allOf": [{"type": ["string", "null"]}]}),
            json!({}),
            json!(true),
        ] {
            let of = |required: &[&str]| {
                let inner = json!({"type": "object", "required": required, "properties": {"a": property}});
                let schema = json!({"type": "object", "properties": {"in": inner}});
                let mut args = json!({"in": {"a": null}});
                assert_eq!(InputSchema::new(schema).unwrap().check(&mut args), [], "{property}");
                args
            };
            assert_eq!(of(&["a"]), json!({"in": {"a": null}}), "{property}");
            assert_eq!(of(&[]), json!({"in": {}}), "{property}");
        }
        for property in
            [json!({"type": "string"}), json!({"enum": ["a"]}), json!({"type": ["null"], "enum": [1]})]
        {
            let schema = json!({"type": "object", "required": ["a"], "properties": {"a": property}});
            let errors = InputSchema::new(schema).unwrap().check(&mut json!({"a": null}));
            assert_eq!(errors[0].code, "required", "{property}");
        }
    }

    #[test]
    fn strings_of_a_declared_tool_stay_as_they_are_sent() {
        let of_tool = InputSchema::accepted(schema().value());
        let mut args = json!({"name": "  a\n", "description": null});
        assert_eq!(of_tool.check(&mut args), []);
        assert_eq!(args, json!({"name": "  a\n"}));
        assert_eq!(of_tool.check(&mut json!({"name": " abc  "}))[0].pointer, "/name");
    }

    #[test]
    fn a_sentence_that_does_not_go_on_after_the_parameter_has_a_colon() {
        let told = |pointer: &str, message: &str| {
            let error = ArgError::new(pointer, "rule", message);
            [error.sentence(), error.located()]
        };
        assert_eq!(told("/name", "must be text"), ["`name` must be text", "`/name` must be text"]);
        let of_format = "the format `slack` does not carry `*`";
        let expected = [format!("`types/0`: {of_format}"), format!("`/types/0`: {of_format}")];
        assert_eq!(told("/types/0", of_format), expected);
        assert_eq!(told("/id", "`id` is required"), ["`id` is required", "`/id`: `id` is required"]);
        assert_eq!(told("", "one SELECT is run here")[0], "one SELECT is run here");
    }

    #[test]
    fn parameters_that_the_request_has_elsewhere_are_not_named() {
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "name": {"type": "string"}, "base_url": {"type": "string"}, "if_match": {"type": "string"}}});
        let schema = InputSchema::new(schema).unwrap();
        let told = |given: &serde_json::Value| schema.check(&mut given.clone()).remove(0).message;
        let others = "`colour` is not a parameter; other parameters are base_url";
        assert_eq!(told(&json!({"name": "forge", "colour": "red"})), others);
        let near = "`nam` is not a parameter; other parameters are base_url";
        assert_eq!(told(&json!({"name": "forge", "nam": "x"})), near);
        let all = json!({"name": "forge", "base_url": "x", "colour": "red"});
        assert_eq!(told(&all), "`colour` is not a parameter; this action has no others");
    }
}
