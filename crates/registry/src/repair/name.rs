//! Finds actions by names as models write them: without the prefix, in another case, with dashes.

use super::ActionLookup;
use crate::{ActionMeta, PREFIX, spelling::snake};

/// Returns the full name and the action for the first of [`candidates`] that is known.
pub fn find<'a>(given: &str, known: ActionLookup<'_, 'a>) -> Option<(String, &'a ActionMeta)> {
    candidates(given).find_map(|name| known(&name).map(|meta| (name, meta)))
}

/// Returns the full names that a text may stand for, the most similar first.
pub fn candidates(given: &str) -> impl Iterator<Item = String> {
    let text = given.trim().trim_matches(['`', '"', '\'']);
    let text = text.strip_suffix("()").unwrap_or(text);
    let text = text.strip_prefix("functions.").unwrap_or(text);
    let readings = [text.to_owned(), snake(text, false), snake(text, true)];
    readings.into_iter().map(|reading| prefixed(&reading))
}

/// Adds the prefix unless the name has it already.
pub fn prefixed(name: &str) -> String {
    if name.starts_with(PREFIX) { name.to_owned() } else { format!("{PREFIX}{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_there_once() {
        assert!(candidates("platform_list_tasks").all(|name| name == "platform_list_tasks"));
        assert!(candidates("Platform List Tasks").any(|name| name == "platform_list_tasks"));
    }
}
