//! Converts arguments of a wrong type whose meaning is unambiguous: `"5"` to 5, `"yes"` to true, one value to a
//! list, `taskId` to `task_id`.
//!
//! Applies to calls that models make; programs get an error instead, apart from `3.0` for an integer, which is one
//! in JSON Schema. Runs before validation and never replaces it. Never changes a valid call.

mod keys;
mod quantity;
mod values;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    schema::InputSchema,
    validate::{ArgError, deserialize},
};
pub use quantity::counted;
pub use values::items;

/// Converts values to the type in their schema, and keys to the names of parameters, if the meaning is unambiguous.
/// Returns the JSON pointers of what changed.
pub fn coerce(schema: &Value, value: &mut Value) -> Vec<String> {
    let zone = value.get("timezone").and_then(Value::as_str).unwrap_or("UTC").to_owned();
    let mut coercion = Coercion { zone: Some(zone), changed: Vec::new() };
    coercion.visit(schema, value, "");
    coercion.changed
}

/// Converts numbers with a zero fraction to integers, where the schema says integer.
pub fn coerce_integers(schema: &Value, value: &mut Value) {
    Coercion { zone: None, changed: Vec::new() }.visit(schema, value, "");
}

impl InputSchema {
    /// Reads whole floats as integers, checks the arguments and deserializes them. Returns every error.
    pub fn deserialize<T: DeserializeOwned>(&self, mut arguments: Value) -> Result<T, Vec<ArgError>> {
        coerce_integers(self.value(), &mut arguments);
        let errors = self.check(&mut arguments);
        if errors.is_empty() { deserialize(arguments).map_err(|error| vec![error]) } else { Err(errors) }
    }
}

/// A walk through arguments and their schema.
struct Coercion {
    /// The call's time zone, in which times without a zone are read. `None` for programs: then only integers are
    /// converted.
    zone: Option<String>,
    changed: Vec<String>,
}

impl Coercion {
    fn visit(&mut self, schema: &Value, value: &mut Value, at: &str) {
        let schema = only_option(schema);
        let read = match &self.zone {
            Some(zone) => values::reading(schema, value, at, zone),
            None => values::whole(schema, value),
        };
        if let Some(read) = read {
            *value = read;
            self.changed.push(at.to_owned());
        }
        match value {
            Value::Object(fields) => {
                let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
                if self.zone.is_some() {
                    keys::rename(schema, properties, fields, at, &mut self.changed);
                    keys::drop_empty(schema, properties, fields, at, &mut self.changed);
                }
                for (key, field) in fields.iter_mut() {
                    if let Some(schema) = properties.get(key) {
                        self.visit(schema, field, &format!("{at}/{key}"));
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else { return };
                for (index, item) in items.iter_mut().enumerate() {
                    self.visit(schema, item, &format!("{at}/{index}"));
                }
            }
            _ => {}
        }
    }
}

const NOTHING: [&str; 7] = ["null", "none", "nil", "undefined", "n/a", "not specified", "unspecified"];

/// Whether a text says that there is no value.
pub fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns the only option of an `anyOf` apart from null; otherwise the schema itself.
fn only_option(schema: &Value) -> &Value {
    let Some(options) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    let mut real = options.iter().filter(|option| option.get("type").is_none_or(|kind| kind != "null"));
    match (real.next(), real.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

/// Returns the type of a schema apart from null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
