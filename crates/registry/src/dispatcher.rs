//! The dispatcher tool: one tool that calls every action that has no tool of its own in the list.
//!
//! To change the line of an action, change `signature`. The token budgets of the tool lists limit it. The lines
//! are in the description of the parameter `action`, because providers limit the descriptions of tools.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionMeta, FIND_TOOLS, PREFIX};

mod signature;

pub use signature::signature;

/// How much the dispatcher says about the actions behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Detail {
    /// One line an action with its parameters, in the description of `action`.
    #[default]
    Signatures,
    /// The names alone, in the enum.
    Names,
}

/// Returns the dispatcher's description.
fn description(detail: Detail) -> String {
    let how = match detail {
        Detail::Names => {
            format!("Its name says what it does; an error or `{FIND_TOOLS}` tells its parameters.")
        }
        Detail::Signatures => "`action` lists them with their parameters.".to_owned(),
    };
    format!("Runs one of the platform's other actions. {how}")
}

/// Returns the description of the parameter `action`: a line for each action.
fn signatures(metas: &[&ActionMeta]) -> String {
    let mut text = format!("Without the prefix `{PREFIX}` (`?` optional, `*` a person must approve):");
    for meta in metas {
        // Writing into a string can't fail.
        let _ = write!(text, "\n{}", signature(meta));
    }
    text
}

/// Returns the dispatcher's description and input schema for the given actions, in their order. Don't offer
/// the dispatcher without actions: providers refuse an empty enum.
pub fn dispatcher_tool(metas: &[&ActionMeta], detail: Detail) -> (String, Value) {
    let names: Vec<&str> = metas.iter().map(|meta| &*meta.spec.name).collect();
    let mut action = json!({ "type": "string", "enum": names });
    if detail == Detail::Signatures {
        action["description"] = json!(signatures(metas));
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "action": action,
            "params": { "type": "object", "description": "the action's parameters" },
        },
        "required": ["action", "params"],
    });
    (description(detail), schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions;

    #[test]
    fn the_enum_holds_exactly_the_given_actions_in_order() {
        let metas = [test_actions::create_task(), test_actions::delete_agent()];
        let (_, schema) = dispatcher_tool(&metas.iter().collect::<Vec<_>>(), Detail::Names);
        assert_eq!(
            schema["properties"]["action"]["enum"],
            json!(["platform_create_task", "platform_delete_agent"])
        );
        assert_eq!(schema["properties"]["params"]["type"], "object");
        assert!(schema["properties"]["action"].get("description").is_none());
    }

    #[test]
    fn signatures_are_one_line_an_action() {
        let metas = [test_actions::create_task(), test_actions::delete_agent()];
        let (_, schema) = dispatcher_tool(&metas.iter().collect::<Vec<_>>(), Detail::Signatures);
        let text = schema["properties"]["action"]["description"].as_str().unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "create_task(title, description, priority?: urgent|high|medium|low, tags?: [str], limit?: 1..100)",
                "delete_agent(agent)*"
            ]
        );
    }
}
