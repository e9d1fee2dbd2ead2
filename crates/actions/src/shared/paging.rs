//! `limit` and `cursor` as every list takes them.

use toolcrib_engine::ActionError;
use toolcrib_model::Cursor;

/// Rows of a page when nothing else is said.
pub const DEFAULT_LIMIT: i64 = 20;

/// Where a page starts and how long it is. Ask the store for one row more than the limit.
pub fn page(limit: Option<i64>, cursor: Option<&str>) -> Result<(Cursor, i64), ActionError> {
    let cursor = match cursor {
        None => Cursor::START,
        Some(text) => Cursor::decode(text).ok_or_else(|| {
            ActionError::invalid("/cursor", "cursor", "must be a `next_cursor` that this list returned")
        })?,
    };
    Ok((cursor, limit.unwrap_or(DEFAULT_LIMIT)))
}

/// How many results of a search are wanted.
pub fn rows(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or_default()
}
