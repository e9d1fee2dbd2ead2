//! Code that several actions share: references and their resolution, paging, conflicts, encrypted connection URLs, small
//! views.

pub mod active_hours;
pub mod blueprint;
pub mod items;
pub mod limits;
pub mod models;
pub mod refs;
pub mod words;

use serde::Deserializer;
use toolcrib_engine::{
    prelude::*,
    shared::{DEFAULT_LIMIT, normalize_name},
};
use toolcrib_store::StoreError;

pub use toolcrib_engine::shared::page;

/// No arguments.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// Returns `conflict` if the statement was refused because another row has the same name or key.
pub fn or_conflict<T>(
    done: Result<T, StoreError>,
    conflict: impl FnOnce() -> ActionError,
) -> Result<T, ActionError> {
    match done {
        Err(StoreError::Duplicate) => Err(conflict()),
        done => Ok(done?),
    }
}

/// Deserializes a given null as `Some(None)`, because null is a value and differs from an omitted field.
#[expect(clippy::option_option, reason = "left out, null and a value are three wishes")]
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Checks the characters of a name as [`normalize_name`] does, and leaves it as it is: for ids that another system
/// gave, and for names by which rows are found without normalization.
pub fn check_characters(pointer: &str, name: &str) -> Result<(), ActionError> {
    normalize_name(pointer, &mut name.to_owned())
}

/// Rounds a score or share to six decimals.
pub fn score(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Returns the number of results of a search.
pub fn result_limit(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or_default()
}

/// Returns the associated data of an encrypted connection URL: it can only be decrypted for the same row.
pub fn associated_data(workspace: Id, datasource: Id) -> Vec<u8> {
    [workspace.into_bytes(), datasource.into_bytes()].concat()
}
