//! Reads the fields of one item. Errors have a JSON pointer to the field.

use serde_json::{Map, Value};

use super::RawArguments;
use crate::ArgError;

/// An error of a field. Boxed, because many functions return it in a `Result`.
pub type FieldError = Box<ArgError>;

/// An object and its JSON pointer in the request.
pub struct Fields<'a> {
    fields: &'a Map<String, Value>,
    at: String,
}

impl<'a> Fields<'a> {
    pub fn new(value: &'a Value, at: String) -> Result<Self, FieldError> {
        match value {
            Value::Object(fields) => Ok(Self { fields, at }),
            _ => Err(field_error(&at, "type", "must be an object, exactly as the provider returned it")),
        }
    }

    /// Returns the value of `type`, or `None` if it is missing or not a string.
    pub fn kind(&self) -> Option<&'a str> {
        self.get("type").and_then(Value::as_str)
    }

    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.fields.get(key)
    }

    pub fn object(&self, key: &str) -> Result<Self, FieldError> {
        let at = format!("{}/{key}", self.at);
        match self.get(key) {
            Some(Value::Object(fields)) => Ok(Self { fields, at }),
            Some(_) => Err(field_error(&at, "type", "must be an object")),
            None => Err(self.missing(key)),
        }
    }

    /// Returns the string in field `key`, which must not be empty.
    pub fn text(&self, key: &str) -> Result<String, FieldError> {
        let at = format!("{}/{key}", self.at);
        match self.get(key) {
            Some(Value::String(text)) if text.is_empty() => {
                Err(field_error(&at, "minLength", "must not be empty"))
            }
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(field_error(&at, "type", "must be a string")),
            None => Err(self.missing(key)),
        }
    }

    /// Returns the arguments in field `key`. A missing or null field gives an empty object.
    pub fn arguments(&self, key: &str) -> RawArguments {
        match self.get(key) {
            Some(Value::String(text)) => RawArguments::Text(text.clone()),
            Some(value) if !value.is_null() => RawArguments::Json(value.clone()),
            _ => RawArguments::Json(Value::Object(Map::new())),
        }
    }

    /// Makes an error about field `key`.
    pub fn error(&self, key: &str, code: &str, message: &str) -> FieldError {
        field_error(&format!("{}/{key}", self.at), code, message)
    }

    pub fn missing(&self, key: &str) -> FieldError {
        field_error(&format!("{}/{key}", self.at), "required", &format!("`{key}` is required"))
    }
}

fn field_error(at: &str, code: &str, message: &str) -> FieldError {
    Box::new(ArgError::new(at, code, message))
}
