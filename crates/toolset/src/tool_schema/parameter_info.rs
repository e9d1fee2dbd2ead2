//! What a mapping needs to know about a parameter.

use serde_json::Value;
use toolcrib_registry::{accepts_null, properties_of, required_of};

/// What the values of a parameter are, apart from null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Strings, numbers or switches.
    Scalar,
    /// Lists of scalars, or these and scalars.
    ScalarList,
    /// Anything else.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub name: String,
    pub kind: ParameterKind,
    /// Whether a checked call always has a value for it that is not null: it is required or has a default.
    pub is_always_given: bool,
    /// Whether it, or a part of it, is sensitive.
    pub is_sensitive: bool,
    /// Its normalised schema.
    pub schema: Value,
}

/// Returns the parameters of a normalised schema, in the order of declaration.
pub fn parameters_of(schema: &Value) -> Vec<ParameterInfo> {
    let required: Vec<&str> = required_of(schema).collect();
    let info = properties_of(schema).map(|(name, schema)| ParameterInfo {
        name: name.to_owned(),
        kind: kind_of(schema),
        is_always_given: (required.contains(&name) || schema.get("default").is_some())
            && !accepts_null(schema),
        is_sensitive: has_sensitive(schema),
        schema: schema.clone(),
    });
    info.collect()
}

pub fn kind_of(schema: &Value) -> ParameterKind {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    match schema.get("type") {
        Some(Value::String(kind)) => kind_of_type(kind, schema),
        Some(Value::Array(kinds)) => {
            widest(kinds.iter().map(|kind| kind_of_type(kind.as_str().unwrap_or_default(), schema)))
        }
        _ => match (list("anyOf").or_else(|| list("oneOf")), list("enum"), schema.get("const")) {
            (Some(options), ..) => widest(options.iter().map(kind_of)),
            (None, Some(values), _) => widest(values.iter().map(kind_of_value)),
            (None, None, Some(value)) => kind_of_value(value),
            (None, None, None) => ParameterKind::Other,
        },
    }
}

fn kind_of_type(kind: &str, schema: &Value) -> ParameterKind {
    match (kind, schema.get("items").map(kind_of)) {
        ("string" | "integer" | "number" | "boolean" | "null", _) => ParameterKind::Scalar,
        ("array", Some(ParameterKind::Scalar)) => ParameterKind::ScalarList,
        _ => ParameterKind::Other,
    }
}

fn kind_of_value(value: &Value) -> ParameterKind {
    if value.is_array() || value.is_object() { ParameterKind::Other } else { ParameterKind::Scalar }
}

fn widest(kinds: impl IntoIterator<Item = ParameterKind>) -> ParameterKind {
    use ParameterKind::{Other, Scalar, ScalarList};
    let both = |a, b| match (a, b) {
        (Scalar, Scalar) => Scalar,
        (Other, _) | (_, Other) => Other,
        _ => ScalarList,
    };
    kinds.into_iter().reduce(both).unwrap_or(Other)
}

/// Returns whether a schema or a part of it has `x-sensitive`. Names of properties do not count.
fn has_sensitive(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.get("x-sensitive") == Some(&Value::Bool(true)) || object.values().any(has_sensitive)
        }
        Value::Array(items) => items.iter().any(has_sensitive),
        _ => false,
    }
}
