//! Validates arguments against their schema. Returns every error with a JSON pointer and what was expected.
#![deny(missing_docs)]

use jsonschema::{
    PatternOptions, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_model::count;

use crate::likeness::nearest;

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
            unexpected.iter().map(|key| unknown_key(&base, key, &known)).collect()
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
        Kind::UniqueItems => one("uniqueItems", "must not contain the same item twice".into()),
        Kind::Pattern { pattern } => one("pattern", format!("must match `{pattern}`")),
        Kind::Format { format } => one("format", format!("must be {}", format_words(format))),
        kind => one(kind.keyword(), "does not match the schema".into()),
    }
}

fn unknown_key(base: &str, key: &str, known: &[&str]) -> ArgError {
    let near = nearest(key, known);
    let message = match near {
        Some(near) => format!("`{key}` is not a parameter; did you mean `{near}`"),
        None if known.is_empty() => format!("`{key}` is not a parameter; this action has none"),
        None => format!("`{key}` is not a parameter; the parameters are {}", known.join(", ")),
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
    use serde_json::json;

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
}
