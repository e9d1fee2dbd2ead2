//! The dispatchers: each is one tool that calls every tool of its kind that has no tool of its own in the list.
//!
//! To change the line of an action, change `signature`. The token budgets of the tool lists limit it. The lines
//! are in the description of the parameter `action`, because providers limit the descriptions of tools.
#![deny(missing_docs)]

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionMeta, DISPATCHER, FIND_TOOLS, PREFIX, TOOLS_DISPATCHER, names::SEPARATOR};

mod signature;

pub use signature::signature;

/// The most declared tools that a dispatcher names.
const MAX_DECLARED_NAMES: usize = 200;
/// The most characters of a dispatcher's names or lines of declared tools.
const MAX_DECLARED_CHARS: usize = 12_000;
/// The longest full name of a tool, in characters.
const MAX_NAME_CHARS: usize = 64;

/// A dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatcher {
    /// Calls compiled actions: the platform's and those of packs.
    Platform,
    /// Calls the declared tools of the workspace.
    Declared,
}

impl Dispatcher {
    /// Every dispatcher, in the order of tool lists.
    pub const ALL: [Self; 2] = [Self::Platform, Self::Declared];

    /// Returns the dispatcher that calls the action with this full name. Only the names of declared tools contain `__`.
    pub fn of_action(name: &str) -> Self {
        if name.contains(SEPARATOR) { Self::Declared } else { Self::Platform }
    }

    /// Returns the tool's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Platform => DISPATCHER,
            Self::Declared => TOOLS_DISPATCHER,
        }
    }

    /// Returns the dispatcher with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dispatcher| dispatcher.as_str() == name)
    }

    /// Returns the tool's title for people.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Platform => "Run a platform action",
            Self::Declared => "Run a tool of this workspace",
        }
    }
}

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

/// Returns what fits: a workspace may declare any number of tools, and a list must stay readable. The number of
/// compiled actions is known.
fn fitting(shown: Option<Detail>, which: Dispatcher, metas: &[&ActionMeta]) -> Option<Detail> {
    let shown = shown?;
    if which == Dispatcher::Platform {
        return Some(shown);
    }
    let names: usize = metas.iter().map(|meta| meta.spec.name.chars().count()).sum();
    if metas.len() > MAX_DECLARED_NAMES || names > MAX_DECLARED_CHARS {
        return None;
    }
    let fits = || lines(metas).chars().count() <= MAX_DECLARED_CHARS;
    Some(if shown == Detail::Signatures && fits() { Detail::Signatures } else { Detail::Names })
}

/// Returns the dispatcher's description.
fn description(which: Dispatcher, shown: Option<Detail>) -> String {
    let how = match shown {
        None => format!("`{FIND_TOOLS}` finds them with their parameters."),
        Some(Detail::Names) => {
            format!("Its name says what it does; an error or `{FIND_TOOLS}` tells its parameters.")
        }
        Some(Detail::Signatures) => "`action` lists them with their parameters.".to_owned(),
    };
    let what = match which {
        Dispatcher::Platform => "Runs one of the platform's other actions.",
        Dispatcher::Declared => "Runs one of the other tools of this workspace.",
    };
    format!("{what} {how}")
}

/// Returns the description of the parameter `action` with a line for each action.
fn signatures(which: Dispatcher, metas: &[&ActionMeta]) -> String {
    let prefix = match which {
        Dispatcher::Platform => format!("Without the prefix `{PREFIX}` ("),
        Dispatcher::Declared => "(".to_owned(),
    };
    format!("{prefix}`?` optional, `*` a person must approve):{}", lines(metas))
}

fn lines(metas: &[&ActionMeta]) -> String {
    let mut text = String::new();
    for meta in metas {
        // Writing into a string can't fail.
        let _ = write!(text, "\n{}", signature(meta));
    }
    text
}

/// Returns the dispatcher's description and input schema for the given actions, in their order. Don't offer
/// the dispatcher without actions: providers refuse an empty enum. Without `shown`, and above 200 declared tools or
/// 12,000 characters, the names are left out: the model searches for them.
pub fn dispatcher_tool(which: Dispatcher, metas: &[&ActionMeta], shown: Option<Detail>) -> (String, Value) {
    let shown = fitting(shown, which, metas);
    let names: Vec<&str> = metas.iter().map(|meta| &*meta.spec.name).collect();
    let action = match shown {
        None => json!({
            "type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS,
            "description": format!("the full name of a tool, as `{FIND_TOOLS}` finds it"),
        }),
        Some(Detail::Names) => json!({ "type": "string", "enum": names }),
        Some(Detail::Signatures) => {
            json!({ "type": "string", "enum": names, "description": signatures(which, metas) })
        }
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "action": action,
            "params": { "type": "object", "description": "the action's parameters" },
        },
        "required": ["action", "params"],
    });
    (description(which, shown), schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions;

    #[test]
    fn the_enum_holds_exactly_the_given_actions_in_order() {
        let metas = [test_actions::create_task(), test_actions::delete_agent()];
        let (_, schema) =
            dispatcher_tool(Dispatcher::Platform, &metas.iter().collect::<Vec<_>>(), Some(Detail::Names));
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
        let (_, schema) = dispatcher_tool(
            Dispatcher::Platform,
            &metas.iter().collect::<Vec<_>>(),
            Some(Detail::Signatures),
        );
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

    fn declared(count: usize) -> Vec<ActionMeta> {
        (0..count).map(|n| test_actions::declared(&format!("desk__tool_{n}"))).collect()
    }

    fn action(metas: &[ActionMeta], shown: Detail) -> (String, Value) {
        let metas: Vec<&ActionMeta> = metas.iter().collect();
        let (description, schema) = dispatcher_tool(Dispatcher::Declared, &metas, Some(shown));
        (description, schema["properties"]["action"].clone())
    }

    #[test]
    fn declared_tools_have_their_full_names() {
        let (description, action) = action(&declared(2), Detail::Signatures);
        assert_eq!(action["enum"], json!(["desk__tool_0", "desk__tool_1"]));
        assert!(action["description"].as_str().unwrap().contains("\ndesk__tool_1(id: int)"));
        assert!(description.contains("of this workspace"));
    }

    #[test]
    fn names_of_more_than_200_declared_tools_are_searched_for() {
        let (_, few) = action(&declared(200), Detail::Names);
        assert_eq!(few["enum"].as_array().unwrap().len(), 200);
        let (description, many) = action(&declared(201), Detail::Signatures);
        assert!(many.get("enum").is_none() && many["maxLength"] == 64);
        assert!(description.contains(FIND_TOOLS));
    }

    #[test]
    fn lines_of_more_than_12_000_characters_become_names() {
        let mut tools = declared(150);
        for (n, tool) in tools.iter_mut().enumerate() {
            tool.spec.name = format!("desk__a_name_that_is_rather_long_for_a_tool_of_a_desk_{n}").into();
        }
        let (_, shown) = action(&tools, Detail::Signatures);
        assert!(shown.get("enum").is_some());
        let long = "x".repeat(60);
        for (n, tool) in tools.iter_mut().enumerate() {
            tool.spec.name = format!("desk__{n}{long}{long}").into();
        }
        let (_, shown) = action(&tools, Detail::Signatures);
        assert!(shown.get("enum").is_none());
    }
}
