//! What stands around the JSON in a text: white space, a code fence, comments or prose.

const FENCE: &str = "```";

/// Returns where the JSON begins: at a bracket with nothing but a code fence before it, otherwise at the first brace.
pub fn start(text: &str) -> Option<usize> {
    let list = text.find('[').filter(|at| text.get(..*at).is_some_and(before_is_bare));
    let object = text.find('{')?;
    Some(list.map_or(object, |list| list.min(object)))
}

/// Returns whether the text before the JSON is empty, apart from the opening of a code fence with its language.
pub fn before_is_bare(before: &str) -> bool {
    let before = before.trim();
    let language = before.strip_prefix(FENCE).unwrap_or(before);
    let fenced = language.len() < before.len();
    before.is_empty() || (fenced && language.len() <= 12 && language.chars().all(char::is_alphanumeric))
}

/// Removes the brackets after the JSON that close nothing, if nothing else is between them and it.
pub fn without_closers(after: &str) -> &str {
    after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'))
}

/// Returns whether the text after the JSON is empty, apart from the end of a code fence and comments.
pub fn after_is_bare(after: &str) -> bool {
    let after = after.trim();
    let after = after.strip_prefix(FENCE).unwrap_or(after);
    after
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with("//") || line.starts_with('#'))
}
