//! The parameters `limit` and `cursor` of lists.

use toolcrib_engine::ActionError;
use toolcrib_model::Cursor;

/// The default number of rows of a page.
pub const DEFAULT_LIMIT: i64 = 20;

/// Returns where a page starts and its limit. Query one row more than the limit, to know whether there is a
/// next page.
pub fn page(limit: Option<i64>, cursor: Option<&str>) -> Result<(Cursor, i64), ActionError> {
    let cursor = match cursor {
        None => Cursor::START,
        Some(text) => Cursor::decode(text).ok_or_else(|| {
            ActionError::invalid("/cursor", "cursor", "must be a `next_cursor` that this list returned")
        })?,
    };
    Ok((cursor, limit.unwrap_or(DEFAULT_LIMIT)))
}

/// Returns the number of results of a search.
pub fn rows(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or_default()
}
