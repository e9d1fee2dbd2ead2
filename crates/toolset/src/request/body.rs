//! The body of a request.

use serde_json::{Map, Value};
use url::form_urlencoded::Serializer;

use super::{
    RequestBody, RequestDefect,
    arguments::{RequestArguments, whole_parameter},
    form,
};
use crate::document::HttpMapping;

/// Returns the body of a mapping with the parameters in it. `None` if the body is one absent parameter.
pub fn build_body(
    body: &Value,
    mapping: &HttpMapping,
    arguments: &mut RequestArguments<'_>,
) -> Result<Option<RequestBody>, RequestDefect> {
    if mapping.form == Some(true) {
        let fields = body.as_object().ok_or_else(|| RequestDefect::mapping("its form is no object"))?;
        let pairs = form::pairs(fields, arguments)?;
        let bytes = Serializer::new(String::new()).extend_pairs(pairs).finish().into_bytes();
        return Ok(Some(RequestBody { content_type: "application/x-www-form-urlencoded".into(), bytes }));
    }
    let content_type = mapping.content_type.as_deref().unwrap_or("application/json");
    let filled = fill(body, arguments)?;
    Ok(filled.map(|value| RequestBody {
        content_type: content_type.to_owned(),
        bytes: value.to_string().into_bytes(),
    }))
}

/// Replaces the parameters in a value. `None` if the value is a text with an absent parameter.
fn fill(value: &Value, arguments: &mut RequestArguments<'_>) -> Result<Option<Value>, RequestDefect> {
    Ok(Some(match value {
        Value::String(template) => return fill_text(template, arguments),
        Value::Array(items) => {
            let mut filled = Vec::with_capacity(items.len());
            for item in items {
                filled.extend(fill(item, arguments)?);
            }
            Value::Array(filled)
        }
        Value::Object(fields) => {
            let mut filled = Map::new();
            for (key, field) in fields {
                if let Some(field) = fill(field, arguments)? {
                    filled.insert(key.clone(), field);
                }
            }
            Value::Object(filled)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }))
}

fn fill_text(template: &str, arguments: &mut RequestArguments<'_>) -> Result<Option<Value>, RequestDefect> {
    let Some(name) = whole_parameter(template) else {
        return Ok(arguments.join(template, |_, _| Ok(()))?.map(Value::String));
    };
    let Some(value) = arguments.get(name) else { return Ok(None) };
    let bytes = match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    arguments.count(bytes, name)?;
    Ok(Some(value.clone()))
}
