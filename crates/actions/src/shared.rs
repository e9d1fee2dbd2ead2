//! What several actions share: references and their resolution, paging, small views.

pub mod active_hours;
pub mod blueprint;
pub mod items;
pub mod limits;
pub mod models;
pub mod names;
pub mod paging;
pub mod refs;
pub mod sources;
pub mod words;

/// A score or share as it is shown: six decimals.
pub fn score(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
