//! The position of a page in a list.

use toolcrib_model::Cursor;

use super::ActionError;

/// Parses the `cursor` of a request; without one the list starts at its beginning.
pub fn page_cursor(text: Option<&str>) -> Result<Cursor, ActionError> {
    let wrong =
        || ActionError::invalid("/cursor", "cursor", "must be the `next_cursor` of a page of this list");
    text.map_or(Ok(Cursor::START), |text| Cursor::decode(text).ok_or_else(wrong))
}
