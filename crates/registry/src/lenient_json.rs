//! Reads JSON that a model wrote as text. What is not strict JSON is rewritten to strict JSON, if it has one
//! meaning, and then parsed by the strict parser with all its limits.

use serde_json::Value;
use toolcrib_model::{JsonError, parse_strict};

mod rewrite;

/// What begins and ends a code fence.
const FENCE: &str = "```";

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
    let start = start(text)?;
    let (json, end) = rewrite::rewrite(text.get(start..)?)?;
    let before = text.get(..start)?;
    let after = without_closers(text.get(start + end..)?);
    if after.contains(['{', '}']) {
        return None;
    }
    let bare = before_is_bare(before) && after_is_bare(after);
    Some((json, if bare { TextRepair::Syntax } else { TextRepair::Prose }))
}

/// Returns where the JSON begins: at a bracket with nothing but a code fence before it, otherwise at the first brace.
fn start(text: &str) -> Option<usize> {
    let list = text.find('[').filter(|at| text.get(..*at).is_some_and(before_is_bare));
    let object = text.find('{')?;
    Some(list.map_or(object, |list| list.min(object)))
}

/// Returns whether the text before the JSON is empty, apart from the opening of a code fence with its language.
fn before_is_bare(before: &str) -> bool {
    let before = before.trim();
    let language = before.strip_prefix(FENCE).unwrap_or(before);
    let fenced = language.len() < before.len();
    before.is_empty() || (fenced && language.len() <= 12 && language.chars().all(char::is_alphanumeric))
}

/// Removes the brackets after the JSON that close nothing, if nothing else is between them and it.
fn without_closers(after: &str) -> &str {
    after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'))
}

/// Returns whether the text after the JSON is empty, apart from the end of a code fence and comments.
fn after_is_bare(after: &str) -> bool {
    let after = after.trim();
    let after = after.strip_prefix(FENCE).unwrap_or(after);
    after
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with("//") || line.starts_with('#'))
}

#[cfg(test)]
mod tests;
