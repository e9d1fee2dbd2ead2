//! Columns that a row shows as another type. A field names them in `#[sqlx(try_from = "…")]`.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toolcrib_model::Ts;

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
