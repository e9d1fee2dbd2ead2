//! Reads JSON that a model wrote as text. What is not strict JSON is rewritten to strict JSON, if it has one
//! meaning, and then parsed by the strict parser with all its limits.

use serde_json::Value;
use toolcrib_model::{JsonError, parse_strict};

mod rewrite;
mod strings;
mod surroundings;

/// What had to be changed to read a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextRepair {
    /// Nothing: the text was strict JSON.
    #[default]
    None,
    /// The syntax: trailing commas, comments, single and typographic quotes, Python's literals, keys without quotes,
    /// line breaks inside strings, a bracket too many at the end, a code fence. It has one meaning.
    Syntax,
    /// Prose around one object was left out. It may say that the call must not be made.
    Prose,
}

/// Parses the JSON in `text`. Never completes a text that was cut off, and never chooses between two objects.
/// The time is linear in the length of the text.
pub fn parse_lenient(text: &str) -> Result<(Value, TextRepair), JsonError> {
    let error = match parse_strict(text.as_bytes()) {
        Ok(value) => return Ok((value, TextRepair::None)),
        Err(error) => error,
    };
    let Some((json, repair)) = to_strict(text) else { return Err(error) };
    Ok((parse_strict(json.as_bytes())?, repair))
}

/// Rewrites `text` to strict JSON. `None` if it has no object or list, or more than one.
fn to_strict(text: &str) -> Option<(String, TextRepair)> {
    let start = surroundings::start(text)?;
    let (json, end) = rewrite::rewrite(text.get(start..)?)?;
    let before = text.get(..start)?;
    let after = surroundings::without_closers(text.get(start + end..)?);
    if after.contains(['{', '}']) {
        return None;
    }
    let bare = surroundings::before_is_bare(before) && surroundings::after_is_bare(after);
    Some((json, if bare { TextRepair::Syntax } else { TextRepair::Prose }))
}

#[cfg(test)]
mod tests;
