//! One item's fields, read with a pointer to what is wrong.

use serde_json::{Map, Value};

use super::RawArguments;
use crate::ArgError;

/// What is wrong, kept small for the many places that pass it on.
pub type FieldError = Box<ArgError>;

/// An object and where it stands in the request.
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

    /// The item's kind; `None` where it has none.
    pub fn kind(&self) -> Option<&'a str> {
        self.get("type").and_then(Value::as_str)
    }

    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.fields.get(key)
    }

    /// An object inside this one.
    pub fn object(&self, key: &str) -> Result<Self, FieldError> {
        let at = format!("{}/{key}", self.at);
        match self.get(key) {
            Some(Value::Object(fields)) => Ok(Self { fields, at }),
            Some(_) => Err(field_error(&at, "type", "must be an object")),
            None => Err(self.missing(key)),
        }
    }

    /// A text that is not empty.
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

    /// The arguments; without any, none are given.
    pub fn arguments(&self, key: &str) -> RawArguments {
        match self.get(key) {
            Some(Value::String(text)) => RawArguments::Text(text.clone()),
            Some(value) if !value.is_null() => RawArguments::Json(value.clone()),
            _ => RawArguments::Json(Value::Object(Map::new())),
        }
    }

    pub fn missing(&self, key: &str) -> FieldError {
        field_error(&format!("{}/{key}", self.at), "required", &format!("`{key}` is required"))
    }
}

fn field_error(at: &str, code: &str, message: &str) -> FieldError {
    Box::new(ArgError::new(at, code, message))
}
