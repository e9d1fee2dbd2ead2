//! Parameters that a call may omit only if its caller has a value for them, such as the mission that an agent
//! works in.
//!
//! To add one: a variant of [`CallerDefault`], a field of [`CallerDefaults`], and
//! [`caller_default`](crate::Spec::caller_default) in the actions that use it.

use serde_json::{Map, Value, json};

toolcrib_model::closed_set! {
    "a caller default",
    /// A value that some callers have, and the top-level parameter for which it is the default.
    CallerDefault {
        /// The mission that the caller works in.
        Mission = "mission",
        /// The calling agent.
        Agent = "agent",
    }
}

impl CallerDefault {
    /// Returns the last sentence of the parameter's description, for the callers that have the value.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Mission => "Default: the caller's mission.",
            Self::Agent => "Default: the calling agent.",
        }
    }
}

/// The values that a caller has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallerDefaults {
    pub mission: bool,
    pub agent: bool,
}

impl CallerDefaults {
    pub const fn has(self, default: CallerDefault) -> bool {
        match default {
            CallerDefault::Mission => self.mission,
            CallerDefault::Agent => self.agent,
        }
    }
}

/// Returns the schema for callers without the value: the parameter is required, and its description has no
/// default. `None` if the schema has no such optional parameter.
pub fn require(input: &Value, default: CallerDefault) -> Option<Value> {
    let mut schema = input.clone();
    let root = schema.as_object_mut()?;
    let required = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = root.get_mut("properties")?.as_object_mut()?;
    let is_required = |name: &str| required.iter().any(|known| known == name);
    if is_required(default.as_str()) {
        return None;
    }
    drop_sentence(properties.get_mut(default.as_str())?.as_object_mut()?, default);
    let names = properties.keys().filter(|name| *name == default.as_str() || is_required(name));
    let names: Vec<&String> = names.collect();
    let names = json!(names);
    root.insert("required".into(), names);
    Some(schema)
}

/// Returns what is wrong with the declaration of an action's default: the parameter must be optional, and the
/// last sentence of its description must name the default, which callers without the value are not shown.
pub fn defect(input: &Value, declared: Option<CallerDefault>) -> Option<String> {
    CallerDefault::ALL.iter().copied().find_map(|default| {
        let name = default.as_str();
        let property = input.get("properties").and_then(|properties| properties.get(name));
        let text = property.and_then(|property| property.get("description")).and_then(Value::as_str);
        let says = text.is_some_and(|text| text.ends_with(default.sentence()));
        match (declared == Some(default), says) {
            (true, _) if require(input, default).is_none() => {
                Some(format!("declares a default for `{name}`, which is no optional parameter"))
            }
            (true, false) => Some(format!("must end the text of `{name}` with \"{}\"", default.sentence())),
            (false, true) => Some(format!(
                "must declare the default of `{name}` with `caller_default`, because its text names it"
            )),
            _ => None,
        }
    })
}

fn drop_sentence(property: &mut Map<String, Value>, default: CallerDefault) {
    let text = property.get("description").and_then(Value::as_str);
    if let Some(rest) = text.and_then(|text| text.strip_suffix(default.sentence())) {
        let rest = json!(rest.trim_end());
        property.insert("description".into(), rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_is_required_in_the_order_of_declaration() {
        let input = json!({"type": "object", "required": ["key"], "properties": {
            "mission": {"type": "string", "description": "The mission. Default: the caller's mission."},
            "key": {"type": "string"}}});
        let schema = require(&input, CallerDefault::Mission).unwrap();
        assert_eq!(schema["required"], json!(["mission", "key"]));
        assert_eq!(schema["properties"]["mission"]["description"], "The mission.");
        assert_eq!(require(&schema, CallerDefault::Mission), None);
        assert_eq!(require(&input, CallerDefault::Agent), None);
    }
}
