//! The dispatcher tool: one tool that calls every action that has no tool of its own in the list.
//!
//! To change the line of an action in its description, change `signature`. The token budgets of the tool
//! lists limit it.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionMeta, FIND_TOOLS, PREFIX};

mod signature;

pub use signature::signature;

/// How much the dispatcher's description says about the actions behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Detail {
    /// One line an action with its parameters.
    #[default]
    Signatures,
    /// The names alone, in the enum.
    Names,
}

/// The first line of the dispatcher's description.
fn introduction(detail: Detail) -> String {
    match detail {
        Detail::Names => format!(
            "Runs one of the platform's other actions. Its name says what it does; an error or `{FIND_TOOLS}` tells \
            its parameters."
        ),
        Detail::Signatures => format!(
            "Runs one of the platform's other actions. Below, without the prefix `{PREFIX}`: each action and its \
            parameters (`?` optional, `*` a person must approve):"
        ),
    }
}

/// Returns the dispatcher's description and input schema for the given actions, in their order. Don't offer
/// the dispatcher without actions: providers refuse an empty enum.
pub fn dispatcher_tool(metas: &[&ActionMeta], detail: Detail) -> (String, Value) {
    let names: Vec<&str> = metas.iter().map(|meta| meta.spec.name).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": names },
            "params": { "type": "object", "description": "the action's parameters" },
        },
        "required": ["action", "params"],
    });
    let mut description = introduction(detail);
    if detail == Detail::Signatures {
        for meta in metas {
            // Writing into a string can't fail.
            let _ = write!(description, "\n{}", signature(meta));
        }
    }
    (description, schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions;

    #[test]
    fn the_enum_holds_exactly_the_given_actions_in_order() {
        let metas = [test_actions::create_task(), test_actions::delete_agent()];
        let (text, schema) = dispatcher_tool(&metas.iter().collect::<Vec<_>>(), Detail::Names);
        assert_eq!(
            schema["properties"]["action"]["enum"],
            json!(["platform_create_task", "platform_delete_agent"])
        );
        assert_eq!(schema["properties"]["params"]["type"], "object");
        assert!(!text.contains("create_task"));
    }

    #[test]
    fn signatures_are_one_line_an_action() {
        let metas = [test_actions::create_task(), test_actions::delete_agent()];
        let (text, _) = dispatcher_tool(&metas.iter().collect::<Vec<_>>(), Detail::Signatures);
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
