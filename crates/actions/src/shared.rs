//! Code that several actions share: references and their resolution, paging, small views.

pub mod active_hours;
pub mod blueprint;
pub mod items;
pub mod limits;
pub mod models;
pub mod paging;
pub mod refs;
pub mod sources;
pub mod words;

use serde::{Deserialize, Deserializer};

/// Deserializes a given null as `Some(None)`, because null is a value and differs from an omitted field.
#[expect(clippy::option_option, reason = "left out, null and a value are three wishes")]
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Rounds a score or share to six decimals.
pub fn score(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
