//! Finds actions by names as models write them: without the prefix, in another case, with dashes.

use super::ActionLookup;
use crate::{ActionMeta, PREFIX};

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

/// Converts `listTasks`, `List tasks` and `list-tasks` to `list_tasks`. With `acronyms`, `getSLATargets`
/// becomes `get_sla_targets`.
pub fn snake(text: &str, acronyms: bool) -> String {
    let chars: Vec<char> = text.trim().chars().collect();
    let mut out = String::with_capacity(text.len() + 4);
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let starts_word = c.is_uppercase()
            && before.is_some_and(|b| {
                let last_of_acronym = b.is_uppercase() && chars.get(i + 1).is_some_and(|n| n.is_lowercase());
                b.is_lowercase() || b.is_ascii_digit() || (acronyms && last_of_acronym)
            });
        if starts_word && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_people_read_them() {
        for text in
            ["listTasks", "ListTasks", "list-tasks", "List tasks", "list__tasks", "LIST_TASKS", "list.tasks_"]
        {
            assert_eq!(snake(text, false), "list_tasks", "{text}");
        }
        assert_eq!(snake("listLLMs", false), "list_llms");
        assert_eq!(snake("getSLACompliance", true), "get_sla_compliance");
    }

    #[test]
    fn the_prefix_is_there_once() {
        assert!(candidates("platform_list_tasks").all(|name| name == "platform_list_tasks"));
        assert!(candidates("Platform List Tasks").any(|name| name == "platform_list_tasks"));
    }
}
