//! Spellings of names: `list_tasks`, `listTasks` and `list-tasks` are one.

/// Converts a parameter's name or an enum's word to snake case.
pub fn snake_key(text: &str) -> String {
    snake(text, false)
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
}
