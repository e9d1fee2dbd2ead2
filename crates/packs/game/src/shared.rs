//! What all actions share: references, pages, names, limits and errors.

use toolcrib_access::{Caller, Principal};
pub use toolcrib_engine::shared::{Ref, page};
use toolcrib_engine::{prelude::*, shared::normalize_name};
use toolcrib_registry::nearest;
use toolcrib_store::StoreError;

/// The source of the texts that a project's people wrote.
pub const SOURCE: &str = "game designs";

/// Normalizes a name, label or title. 422 for invisible characters, and for a text that would be taken for an ID.
pub fn keep(pointer: &str, name: &mut String) -> Result<(), ActionError> {
    if Id::try_parse(name).is_ok() {
        return Err(ActionError::invalid(pointer, "characters", "must not look like an ID"));
    }
    normalize_name(pointer, name)
}

/// Refuses a text without anything to read.
pub fn refuse_blank(pointer: &str, text: &str) -> Result<(), ActionError> {
    if text.trim().is_empty() {
        return Err(ActionError::invalid(pointer, "minLength", "must contain more than white space"));
    }
    Ok(())
}

/// Returns who makes a call: a user, an agent, or a key that acts for nobody.
pub fn actor(caller: &Caller) -> Id {
    match caller.principal {
        Principal::Service { on_behalf_of: Some(user_id), .. } => user_id,
        principal => principal.id(),
    }
}

/// Returns the 404 of something that a project does not have.
pub fn not_in_project(what: &str, reference: &str) -> ActionError {
    ActionError::new(ErrorCode::NotFound, format!("there is no {what} `{reference}` in this project"))
}

/// Adds a hint to the 404 of a reference: the most similar of `known`, and what lists them.
pub fn with_nearest(error: ActionError, reference: &str, known: &[String], list: &str) -> ActionError {
    // An ID is like no name, and all unknown IDs give the same error.
    let named = Id::try_parse(reference).is_err();
    let known: Vec<&str> = known.iter().filter(|_| named).map(String::as_str).collect();
    match nearest(reference, &known) {
        Some(near) => error.quoting(SOURCE).hint(format!("did you mean `{near}`; `{list}` lists them all")),
        None => error.hint(format!("`{list}` lists them")),
    }
}

/// Turns a duplicate into a 409 with this text.
pub fn unless_taken(
    stored: Result<(), StoreError>,
    text: impl FnOnce() -> String,
) -> Result<(), ActionError> {
    match stored {
        Err(StoreError::Duplicate) => Err(ActionError::conflict(text()).quoting(SOURCE)),
        stored => Ok(stored?),
    }
}

/// Returns the 409 of a limit. `hint` says how to stay within it.
pub fn within(wanted: i64, most: i64, what: &str, hint: &str) -> Result<(), ActionError> {
    if wanted <= most {
        return Ok(());
    }
    Err(ActionError::conflict(format!("the limit is {most} {what}; this would make it {wanted}")).hint(hint))
}

/// Returns a length as columns hold numbers.
pub fn number(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
