//! Sentences for what a JSON Schema finds.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;
use toolcrib_model::count;
use toolcrib_registry::nearest;

use crate::{
    defect::{DefectList, below, quoted},
    grammar::pattern_words,
};

/// Adds the defects of one error. Adds the pointers of wrong values to `wrong`.
pub fn explain(
    schema: &Value,
    error: &ValidationError<'_>,
    defects: &mut DefectList,
    wrong: &mut Vec<String>,
) {
    let at = error.instance_path().to_string();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let known = known_keys(schema, error);
            for key in unexpected {
                wrong.push(below(&at, key));
                defects.add(below(&at, key), unknown(key, &known));
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            defects.add(below(&at, name), format!("`{name}` is required"));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            explain_options(schema, &at, context, defects, wrong);
        }
        kind => {
            defects.add(at.clone(), sentence(kind));
            // Too many items: the list itself can be read and checked.
            if !matches!(kind, Kind::MaxItems { .. } | Kind::MinItems { .. } | Kind::MaxProperties { .. }) {
                wrong.push(at);
            }
        }
    }
}

/// Explains a value that matches none of several options: by the option that has its type, if there is one.
fn explain_options(
    schema: &Value,
    at: &str,
    options: &[Vec<ValidationError<'static>>],
    defects: &mut DefectList,
    wrong: &mut Vec<String>,
) {
    let here = |error: &ValidationError<'_>| error.instance_path().to_string() == at;
    let mut words = Vec::new();
    let mut kinds = Vec::new();
    for option in options {
        let kind = option.iter().find_map(|error| match error.kind() {
            Kind::Type { kind } if here(error) => Some(types(kind)),
            _ => None,
        });
        if let Some(kind) = kind {
            kinds.push(kind);
        } else if let [only] = option.as_slice()
            && let Some(word) = expected_word(only)
            && here(only)
        {
            words.push(word);
        } else {
            // An option of the right type: its errors are inside the value. What is left of the value without
            // these places may match no option, so the whole value is wrong.
            wrong.push(at.to_owned());
            for error in option {
                explain(schema, error, defects, &mut Vec::new());
            }
            return;
        }
    }
    wrong.push(at.to_owned());
    let message = if words.is_empty() {
        kinds.dedup();
        format!("must be {}", kinds.join(" or "))
    } else {
        format!("must be one of {}", words.join(", "))
    };
    defects.add(at, message);
}

/// Returns the words of an option that is a constant or an enum.
fn expected_word(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        Kind::Constant { expected_value } => Some(value_words(expected_value)),
        Kind::Enum { options } => Some(list(options)),
        _ => None,
    }
}

fn sentence(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind } => format!("must be {}", types(kind)),
        Kind::Enum { options } => format!("must be {}", one_of(options)),
        Kind::Constant { expected_value } => format!("must be {}", value_words(expected_value)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::MinLength { limit: 1 } => "must not be empty".into(),
        Kind::MinLength { limit } => format!("must have at least {}", count(limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}; shorten it", count(limit, "character")),
        Kind::MinItems { limit } => format!("must have at least {}", count(limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", count(limit, "item")),
        Kind::MaxProperties { limit } => format!("must have at most {}", count(limit, "key")),
        Kind::Pattern { pattern } => {
            pattern_words(pattern).map_or_else(|| format!("must match `{pattern}`"), str::to_owned)
        }
        kind => format!("does not match the keyword `{}` of the schema", kind.keyword()),
    }
}

/// Returns the keys that the object of an error may have.
fn known_keys(schema: &Value, error: &ValidationError<'_>) -> Vec<String> {
    let path = error.schema_path().to_string();
    let object = path.strip_suffix("/additionalProperties").and_then(|path| schema.pointer(path));
    let keys = object.and_then(|object| object.get("properties")).and_then(Value::as_object);
    keys.map(|keys| keys.keys().cloned().collect()).unwrap_or_default()
}

/// Returns the sentence for a key that is not known.
pub fn unknown(key: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    match nearest(key, &known) {
        Some(near) => format!("unknown; did you mean `{near}`"),
        None if known.is_empty() => "unknown; remove it".into(),
        None => format!("unknown; the keys here are {}", known.join(", ")),
    }
}

fn one_of(options: &Value) -> String {
    match options.as_array().map(Vec::as_slice) {
        Some([only]) => value_words(only),
        _ => format!("one of {}", list(options)),
    }
}

fn list(options: &Value) -> String {
    let words = options.as_array().into_iter().flatten().map(value_words);
    words.collect::<Vec<_>>().join(", ")
}

fn value_words(value: &Value) -> String {
    value.as_str().map_or_else(|| quoted(&value.to_string()), quoted)
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => article(&one.to_string()),
        TypeKind::Multiple(set) => {
            set.iter().map(|one| article(&one.to_string())).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn article(word: &str) -> String {
    match word {
        "integer" => "an integer".into(),
        "object" => "an object".into(),
        "array" => "a list".into(),
        "boolean" => "`true` or `false`".into(),
        word => format!("a {word}"),
    }
}
