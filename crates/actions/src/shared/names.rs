//! Normalizes display names.

use toolcrib_engine::{ActionError, shared::keep_name};

/// Normalizes the name of a new object. 422 for invisible characters.
pub fn keep(name: &mut String) -> Result<(), ActionError> {
    keep_name("/name", name)
}
