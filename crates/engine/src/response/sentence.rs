//! The sentence that describes a call to a person.

use toolcrib_model::visible;

/// Returns one sentence: the action, the target's label, and its detail in parentheses.
pub fn sentence(action: &str, label: Option<&str>, detail: Option<&str>) -> String {
    let words = action.strip_prefix(toolcrib_registry::PREFIX).unwrap_or(action).replace('_', " ");
    let mut chars = words.chars();
    let capital: String = chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default();
    let verb = capital.split(' ').next().unwrap_or_default().to_owned();
    let what = label.map_or(capital, |label| format!("{verb} {}", visible(label)));
    detail.map_or(what.clone(), |detail| format!("{what} ({})", visible(detail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_the_target() {
        assert_eq!(
            sentence("platform_delete_agent", Some("agent `Researcher`"), Some("3 schedules")),
            "Delete agent `Researcher` (3 schedules)"
        );
        assert_eq!(sentence("platform_create_agent", None, None), "Create agent");
    }
}
