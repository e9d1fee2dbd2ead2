//! What a mapping needs to know about a parameter.

use serde_json::Value;

/// What the values of a parameter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Strings, numbers or switches.
    Scalar,
    /// Lists of scalars.
    ScalarList,
    /// Anything else.
    Other,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Name of the parameter.
    pub name: String,
    /// What its values are.
    pub kind: ParameterKind,
    /// Whether a checked call always has a value for it: it is required or has a default.
    pub is_always_given: bool,
    /// Whether it, or a part of it, is sensitive.
    pub is_sensitive: bool,
    /// Its normalised schema.
    pub schema: Value,
}

/// Returns the parameters of a normalised schema, in the order of declaration.
pub fn parameters_of(schema: &Value) -> Vec<ParameterInfo> {
    let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let info = properties.map(|(name, schema)| ParameterInfo {
        name: name.clone(),
        kind: kind_of(schema),
        is_always_given: required.contains(&name.as_str()) || schema.get("default").is_some(),
        is_sensitive: has_sensitive(schema),
        schema: schema.clone(),
    });
    info.collect()
}

fn kind_of(schema: &Value) -> ParameterKind {
    let scalar = |kind: &Value| {
        kind.as_str().is_some_and(|kind| matches!(kind, "string" | "integer" | "number" | "boolean"))
    };
    match schema.get("type") {
        Some(kind) if scalar(kind) => ParameterKind::Scalar,
        Some(Value::Array(kinds)) if kinds.iter().all(scalar) => ParameterKind::Scalar,
        Some(Value::String(kind)) if kind == "array" => {
            let items = schema.get("items").map(kind_of);
            if items == Some(ParameterKind::Scalar) {
                ParameterKind::ScalarList
            } else {
                ParameterKind::Other
            }
        }
        None => match schema.get("enum").and_then(Value::as_array) {
            Some(values) if values.iter().all(|value| value.is_string() || value.is_number()) => {
                ParameterKind::Scalar
            }
            _ => ParameterKind::Other,
        },
        _ => ParameterKind::Other,
    }
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
