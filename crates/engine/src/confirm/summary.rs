//! What a person reads before deciding.

use serde_json::Value;
use toolcrib_registry::ActionMeta;

use crate::{SummaryLine, action::Target, mask};

/// Parameters shown.
const LINES: usize = 5;
/// Characters shown of each.
const CHARACTERS: usize = 50;

/// Up to five lines, and how many parameters are left out.
pub struct Summary {
    pub lines: Vec<SummaryLine>,
    pub more: i64,
}

/// The target first, then the parameters that decide danger, then the others in their order.
pub fn of(meta: &ActionMeta, arguments: &Value, target: &Target) -> Summary {
    let mut masked = arguments.clone();
    mask::mask(meta.input.value(), &mut masked);
    let mut named: Vec<(&str, String)> = Vec::new();
    let given = |name: &str| masked.get(name).map(show);
    let danger = meta.spec.danger.iter().copied().chain(meta.spec.escalations.iter().map(|e| e.parameter));
    for name in danger.chain(meta.input.properties().map(|(name, _)| name)) {
        if !named.iter().any(|(known, _)| *known == name)
            && let Some(value) = given(name)
        {
            named.push((name, value));
        }
    }
    name_target(&mut named, masked.as_object(), target);
    let more = i64::try_from(named.len().saturating_sub(LINES)).unwrap_or(0);
    named.truncate(LINES);
    let lines =
        named.into_iter().map(|(label, value)| SummaryLine { label: label.to_owned(), value }).collect();
    Summary { lines, more }
}

/// An id tells nobody anything: the parameter that holds the target's id shows its name instead, and comes first.
fn name_target(
    named: &mut Vec<(&str, String)>,
    arguments: Option<&serde_json::Map<String, Value>>,
    target: &Target,
) {
    let Some(id) = target.id.map(|id| id.to_string()) else { return };
    let holds = |name: &str| arguments.and_then(|a| a.get(name)).and_then(Value::as_str) == Some(id.as_str());
    if let Some(at) = named.iter().position(|(name, _)| holds(name)) {
        let (name, _) = named.remove(at);
        let label = target
            .label
            .split_once('`')
            .map_or(target.label.as_str(), |(_, rest)| rest.trim_end_matches('`'));
        named.insert(0, (name, show(&Value::String(label.to_owned()))));
    }
}

/// One sentence: what would be done, to what, and what goes with it.
pub fn sentence(action: &str, label: Option<&str>, detail: Option<&str>) -> String {
    let words = action.strip_prefix(toolcrib_registry::PREFIX).unwrap_or(action).replace('_', " ");
    let mut chars = words.chars();
    let capital: String = chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default();
    let verb = capital.split(' ').next().unwrap_or_default().to_owned();
    let what = label.map_or(capital, |label| format!("{verb} {}", visible(label)));
    detail.map_or(what.clone(), |detail| format!("{what} ({})", visible(detail)))
}

fn show(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("{} items", items.len()),
        Value::Object(fields) => format!("{} items", fields.len()),
        other => other.to_string(),
    };
    let text = visible(&text);
    if text.chars().count() <= CHARACTERS {
        return text;
    }
    text.chars().take(CHARACTERS - 1).chain(['…']).collect()
}

/// Control and direction-changing characters are shown as their code points: nothing hides or reorders the text.
pub fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{061c}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            out.push_str("\\u{");
            out.push_str(&hex_digits(c));
            out.push('}');
        } else {
            out.push(c);
        }
    }
    out
}

fn hex_digits(c: char) -> String {
    format!("{:x}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        let text = show(&Value::String("ä".repeat(80)));
        assert_eq!(text.chars().count(), 50);
        assert!(text.ends_with('…'));
        assert_eq!(show(&serde_json::json!([1, 2, 3])), "3 items");
    }

    #[test]
    fn sentences_name_the_target() {
        assert_eq!(
            sentence("platform_delete_agent", Some("agent `Researcher`"), Some("3 schedules")),
            "Delete agent `Researcher` (3 schedules)"
        );
        assert_eq!(sentence("platform_create_agent", None, None), "Create agent");
    }
}
