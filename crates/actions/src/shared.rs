//! Code that several actions share: references and their resolution, paging, small views.

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

/// Rounds a score or share to six decimals.
pub fn score(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
