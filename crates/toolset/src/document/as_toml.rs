//! A JSON value as TOML writes it.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

/// Serializes numbers as numbers. `serde_json` keeps the text of a number, and gives other formats a map with it.
pub struct AsToml<'v>(pub &'v Value);

impl Serialize for AsToml<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(AsToml)),
            Value::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, AsToml(value))))
            }
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (None, Some(_)) if number.as_u64().is_some() => {
                    Err(S::Error::custom(format!("`{number}` is larger than an integer of TOML")))
                }
                (None, Some(number)) => serializer.serialize_f64(number),
                (None, None) => Err(S::Error::custom(format!("`{number}` is no number of TOML"))),
            },
        }
    }
}
