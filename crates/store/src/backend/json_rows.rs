//! Rows as one JSON text: a single parameter holds any number of rows.

use serde::{Serialize, Serializer};
use toolcrib_model::{Id, Ts};

use super::StoreError;

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
