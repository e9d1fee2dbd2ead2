//! The sentence that describes a call to a person.

use toolcrib_model::visible;
use toolcrib_registry::{Dispatcher, PREFIX};
use toolcrib_store::confirmations::ConfirmationRow;

/// Returns one sentence: the action, the target's label, and its detail in parentheses. The label of a declared tool is
/// a sentence itself.
pub fn sentence(action: &str, label: Option<&str>, detail: Option<&str>) -> String {
    let declared = action.split_once("__").filter(|_| Dispatcher::of_action(action) == Dispatcher::Declared);
    let name = declared.map_or_else(|| without_prefix(action), |(_, name)| name);
    let words = name.replace('_', " ");
    let mut chars = words.chars();
    let capital: String = chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default();
    let verb = capital.split(' ').next().unwrap_or_default().to_owned();
    let what = match label {
        None => capital,
        Some(label) if declared.is_some() => visible(label).into_owned(),
        Some(label) => format!("{verb} {}", visible(label)),
    };
    detail.map_or(what.clone(), |detail| format!("{what} ({})", visible(detail)))
}

/// Returns the sentence that describes the call of a confirmation.
pub fn sentence_of(row: &ConfirmationRow) -> String {
    sentence(&row.action, row.call.target_label.as_deref(), row.call.target_detail.as_deref())
}

/// Returns the name of a compiled action without the prefix of the platform or the slug of its pack.
fn without_prefix(action: &str) -> &str {
    let of_pack = || action.split_once('_').filter(|_| !action.contains('.')).map(|(_, name)| name);
    action.strip_prefix(PREFIX).or_else(of_pack).unwrap_or(action)
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
        assert_eq!(sentence("game_delete_project", Some("project `Quest`"), None), "Delete project `Quest`");
        assert_eq!(sentence("client_tokens.create", None, None), "Client tokens.create");
    }

    #[test]
    fn the_label_of_a_declared_tool_is_the_sentence() {
        assert_eq!(
            sentence("desk__delete_draft", Some("Delete the draft d-17"), Some("the application runs it")),
            "Delete the draft d-17 (the application runs it)"
        );
        assert_eq!(sentence("desk__delete_draft", None, None), "Delete draft");
    }
}
