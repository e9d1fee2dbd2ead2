//! Values as they are stored: columns that a row shows as another type (a field names them in
//! `#[sqlx(try_from = "…")]`), and rows as one JSON text, so that a single parameter holds any number of them.

use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolcrib_model::{Id, Ts};

use super::StoreError;

/// A time, in microseconds, or NULL.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
pub struct OptionalTime(Option<i64>);

impl From<OptionalTime> for Option<Ts> {
    fn from(stored: OptionalTime) -> Self {
        stored.0.map(Ts::from_micros)
    }
}

/// JSON as text, or NULL. A text that can't be read is an empty list, or nothing.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
pub struct JsonText(Option<String>);

impl<T: DeserializeOwned> From<JsonText> for Option<T> {
    fn from(stored: JsonText) -> Self {
        stored.0.and_then(|text| serde_json::from_str(&text).ok())
    }
}

impl<T: DeserializeOwned> From<JsonText> for Vec<T> {
    fn from(stored: JsonText) -> Self {
        Option::from(stored).unwrap_or_default()
    }
}

impl From<JsonText> for Map<String, Value> {
    fn from(stored: JsonText) -> Self {
        Option::from(stored).unwrap_or_default()
    }
}

/// Serializes rows, or the value of a column, as JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Inconsistent(error.to_string()))
}

/// Serializes an id as 32 hexadecimal digits, which SQLite reads with `unhex`.
pub fn hex_id<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&id.simple())
}

/// As [`hex_id`], for an id that may be absent.
#[expect(clippy::ref_option, reason = "serde's signature")]
pub fn hex_optional_id<S: Serializer>(id: &Option<Id>, serializer: S) -> Result<S::Ok, S::Error> {
    match id {
        Some(id) => hex_id(id, serializer),
        None => serializer.serialize_none(),
    }
}

/// Serializes a time in microseconds.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub fn micros<S: Serializer>(at: &Ts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(at.as_micros())
}
