//! The summary of a call that a person reads before deciding.

use serde_json::Value;
use toolcrib_registry::{ActionMeta, properties_of};

use crate::{
    base::{mask, show},
    catalog::action::Target,
    response::SummaryLine,
};

/// Maximum number of parameters, unless more of them are dangerous.
const LINES: usize = 5;

/// The parameters to show, and the number of those left out.
pub struct Summary {
    pub lines: Vec<SummaryLine>,
    pub more: i64,
}

/// Makes the summary: first the target, then the parameters that make the call dangerous, then the others in
/// schema order. Has five lines, or more if needed to show all dangerous parameters.
pub fn of(meta: &ActionMeta, arguments: &Value, target: &Target) -> Summary {
    let mut masked = arguments.clone();
    mask::mask(meta.input.value(), &mut masked);
    let mut named: Vec<(&str, String)> = Vec::new();
    let given = |name: &str| masked.get(name).map(show);
    let danger = meta.spec.danger.iter().chain(meta.spec.escalations.iter().map(|e| &e.parameter));
    let danger: Vec<&str> = danger.map(|name| &**name).collect();
    for name in danger.iter().copied().chain(properties_of(meta.input.value()).map(|(name, _)| name)) {
        if !named.iter().any(|(known, _)| *known == name)
            && let Some(value) = given(name)
        {
            named.push((name, value));
        }
    }
    name_references(&mut named, target);
    name_target(&mut named, masked.as_object(), target);
    let needed = named.iter().rposition(|(name, _)| danger.contains(name)).map_or(0, |at| at + 1);
    let shown = LINES.max(needed);
    let more = i64::try_from(named.len().saturating_sub(shown)).unwrap_or(0);
    named.truncate(shown);
    let lines =
        named.into_iter().map(|(label, value)| SummaryLine { label: label.to_owned(), value }).collect();
    Summary { lines, more }
}

/// Replaces the ids of what parameters refer to with their names.
fn name_references(named: &mut [(&str, String)], target: &Target) {
    for (parameter, name) in &target.names {
        if let Some((_, value)) = named.iter_mut().find(|(known, _)| known == parameter) {
            *value = show(&Value::String(name.clone()));
        }
    }
}

/// Replaces the target's id in the summary with its name, because an id tells the reader nothing, and moves
/// it to the front.
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolcrib_registry::{Category, Permission, Spec};

    use super::*;

    fn meta(danger: &[&str]) -> ActionMeta {
        let spec = Spec::write("platform_try", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Try.")
            .danger(danger);
        let text = json!({"type": "string", "maxLength": 9});
        let properties: serde_json::Map<String, Value> = ["a", "b", "c", "d", "e", "f", "g", "h"]
            .iter()
            .map(|name| ((*name).to_owned(), text.clone()))
            .collect();
        let input = json!({"type": "object", "additionalProperties": false, "properties": properties});
        ActionMeta::new(spec, input, json!({})).unwrap()
    }

    fn shown(danger: &[&str], target: &Target) -> (String, i64) {
        let arguments = json!({"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7"});
        let Summary { lines, more } = of(&meta(danger), &arguments, target);
        (lines.iter().map(|line| line.label.as_str()).collect(), more)
    }

    #[test]
    fn five_are_shown_and_those_that_decide_danger_always() {
        let nothing = Target::default();
        assert_eq!(shown(&[], &nothing), ("abcde".into(), 2));
        assert_eq!(shown(&["g", "f"], &nothing), ("gfabc".into(), 2));
        assert_eq!(shown(&["h"], &nothing), ("abcde".into(), 2), "one that was not given is not shown");
        assert_eq!(shown(&["b", "c", "d", "e", "f", "g"], &nothing), ("bcdefg".into(), 1));
    }

    #[test]
    fn the_target_is_named_and_pushes_no_danger_out() {
        let id = toolcrib_model::Id::from_u128(7);
        let target = Target { id: Some(id), label: "agent `Researcher`".into(), ..Target::default() };
        let target = target.naming("c", "Quest").naming("h", "not given");
        let meta = meta(&["b", "c", "d", "e", "f"]);
        let arguments = json!({"a": id, "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7"});
        let Summary { lines, more } = of(&meta, &arguments, &target);
        assert_eq!((lines[0].label.as_str(), lines[0].value.as_str()), ("a", "Researcher"));
        assert_eq!((lines[2].label.as_str(), lines[2].value.as_str()), ("c", "Quest"));
        assert_eq!(
            (lines.iter().map(|line| line.label.as_str()).collect::<String>(), more),
            ("abcdef".into(), 1)
        );
    }
}
