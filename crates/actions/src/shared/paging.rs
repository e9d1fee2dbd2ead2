//! The parameters `limit` and `cursor` of lists.

pub use toolcrib_engine::shared::{DEFAULT_LIMIT, page};

/// Returns the number of results of a search.
pub fn rows(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or_default()
}
