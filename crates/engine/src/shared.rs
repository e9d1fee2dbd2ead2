//! What actions of the platform and of packs share: references, names and pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Cursor, Id, code_point, kept_name};

use crate::base::ActionError;

/// The default number of rows of a page.
pub const DEFAULT_LIMIT: i64 = 20;

/// ID or exact name, case-insensitive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Ref(#[schemars(length(min = 1, max = 200), extend("x-reference" = true))] pub String);

impl Ref {
    /// Returns the ID if the reference is one.
    pub fn id(&self) -> Option<Id> {
        Id::try_parse(&self.0).ok()
    }

    /// Returns the text of the reference.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Id> for Ref {
    fn from(id: Id) -> Self {
        Self(id.to_string())
    }
}

/// Returns where a page starts and its limit. Query one row more than the limit, to know whether there is a
/// next page.
pub fn page(limit: Option<i64>, cursor: Option<&str>) -> Result<(Cursor, i64), ActionError> {
    let cursor = parse_cursor(cursor, "must be a `next_cursor` that this list returned")?;
    Ok((cursor, limit.unwrap_or(DEFAULT_LIMIT)))
}

/// Parses the `cursor` of a list that is no action, such as the confirmations; without one the list starts at its
/// beginning.
pub(crate) fn page_cursor(text: Option<&str>) -> Result<Cursor, ActionError> {
    parse_cursor(text, "must be the `next_cursor` of a page of this list")
}

/// Parses a cursor; `what` says what it must be.
fn parse_cursor(text: Option<&str>, what: &str) -> Result<Cursor, ActionError> {
    let wrong = || ActionError::invalid("/cursor", "cursor", what);
    text.map_or(Ok(Cursor::START), |text| Cursor::decode(text).ok_or_else(wrong))
}

/// Normalizes the name of a new object. 422 for invisible characters, because two names could look equal, or
/// a name could look like something else.
pub fn normalize_name(pointer: &str, name: &mut String) -> Result<(), ActionError> {
    *name = kept_name(name).map_err(|c| {
        let text = format!(
            "must not contain control, direction, invisible or private-use characters; it contains `{}`",
            code_point(c)
        );
        ActionError::invalid(pointer, "characters", text).hint("remove that character; emoji are allowed")
    })?;
    Ok(())
}
