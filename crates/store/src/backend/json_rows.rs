//! Rows as one JSON text: a single parameter inserts any number of them.

use serde::{Serialize, Serializer};
use toolcrib_model::{Id, Ts};

use super::StoreError;

/// Rows as a JSON array.
pub fn json<T: Serialize>(rows: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|error| StoreError::Inconsistent(error.to_string()))
}

/// An id as 32 hexadecimal digits: SQLite reads it with `unhex`.
pub fn hex_id<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&id.simple())
}

/// A time in microseconds.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub fn micros<S: Serializer>(at: &Ts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(at.as_micros())
}
