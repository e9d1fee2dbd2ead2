//! Finds actions by names as models write them: without the prefix, in another case, with dashes, or with a slip.

use std::sync::Arc;

use crate::{
    ActionKind, ActionMeta, ActionRegistry, DISPATCHER, PREFIX, likeness::only_similar, spelling::snake,
};

/// The longest text that is read as a name, in bytes.
pub const LONGEST: usize = 128;
/// What models' templates put before a name.
const NAMESPACES: [&str; 4] = ["functions.", "function.", "default_api.", "tools."];

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum ToolName<'a> {
    /// The dispatcher.
    Dispatcher,
    /// An action for models. Never an operation.
    Action(&'a Arc<ActionMeta>),
}

/// The reading of a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedTool<'a> {
    /// What the name stands for.
    pub tool: ToolName<'a>,
    /// Whether it is only the one known name that is at most two letters away, and not another spelling of it.
    pub likely: bool,
}

/// Returns the tool that a model means with `given`: exactly, in another spelling, or the only similar one among all
/// names, those of operations included. A name that is similar to an operation's is none.
pub fn named_tool<'a>(registry: &'a ActionRegistry, given: &str) -> Option<NamedTool<'a>> {
    if let Some(tool) = spelled(registry, given) {
        return Some(NamedTool { tool, likely: false });
    }
    Some(NamedTool { tool: similar(registry, given)?, likely: true })
}

/// Returns the action that `given` names, in any spelling.
pub fn spelled_action<'a>(registry: &'a ActionRegistry, given: &str) -> Option<&'a Arc<ActionMeta>> {
    match spelled(registry, given)? {
        ToolName::Action(meta) => Some(meta),
        ToolName::Dispatcher => None,
    }
}

/// Returns whether a name has the platform's prefix, in any spelling.
pub fn has_prefix(given: &str) -> bool {
    readings(given).iter().any(|reading| reading.starts_with(PREFIX))
}

/// Adds the prefix unless the name has it already.
pub fn prefixed(name: &str) -> String {
    if name.starts_with(PREFIX) { name.to_owned() } else { format!("{PREFIX}{name}") }
}

fn spelled<'a>(registry: &'a ActionRegistry, given: &str) -> Option<ToolName<'a>> {
    readings(given).iter().find_map(|reading| exact(registry, &prefixed(reading)))
}

/// Returns the tool with this full name.
fn exact<'a>(registry: &'a ActionRegistry, name: &str) -> Option<ToolName<'a>> {
    if name == DISPATCHER {
        return Some(ToolName::Dispatcher);
    }
    let meta = registry.get(name)?;
    (meta.spec.kind == ActionKind::Tool).then_some(ToolName::Action(meta))
}

fn similar<'a>(registry: &'a ActionRegistry, given: &str) -> Option<ToolName<'a>> {
    let word = readings(given).into_iter().nth(1)?;
    let word = word.strip_prefix(PREFIX).unwrap_or(&word);
    let names = || registry.all().map(|meta| &*meta.spec.name).chain([DISPATCHER]);
    let bare = |name: &'a str| name.strip_prefix(PREFIX).unwrap_or(name);
    // A slip in the prefix itself: then the whole names are compared.
    let name = only_similar(word, names().map(bare)).or_else(|| only_similar(word, names()))?;
    exact(registry, &prefixed(name))
}

/// Returns the names that a text may be a spelling of: as it is, in snake case, and in snake case with acronyms. Empty
/// for a text that is too long for a name.
fn readings(given: &str) -> Vec<String> {
    if given.len() > LONGEST {
        return Vec::new();
    }
    let text = given.trim().trim_matches(['`', '"', '\'']);
    let text = text.strip_suffix("()").unwrap_or(text);
    let text = NAMESPACES.iter().find_map(|space| text.strip_prefix(space)).unwrap_or(text);
    let text = match text.rsplit_once(':') {
        Some((name, index)) if index.chars().all(|c| c.is_ascii_digit()) => name,
        _ => text,
    };
    vec![text.to_owned(), snake(text, false), snake(text, true)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions;

    fn registry() -> ActionRegistry {
        ActionRegistry::new(test_actions::all()).unwrap()
    }

    fn read(given: &str) -> Option<(String, bool)> {
        let registry = registry();
        let named = named_tool(&registry, given)?;
        let name = match named.tool {
            ToolName::Dispatcher => DISPATCHER,
            ToolName::Action(meta) => &meta.spec.name,
        };
        Some((name.to_owned(), named.likely))
    }

    #[test]
    fn another_spelling_is_the_same_name() {
        for given in [
            "list_tasks",
            "listTasks",
            "Platform List Tasks",
            "functions.platform_list_tasks:0",
            "default_api.list_tasks",
            "`platform-list-tasks`",
        ] {
            assert_eq!(read(given), Some(("platform_list_tasks".into(), false)), "{given}");
        }
        assert_eq!(read("platform-execute"), Some((DISPATCHER.into(), false)));
    }

    #[test]
    fn a_slip_is_likely_and_a_different_word_is_unknown() {
        assert_eq!(read("delete_agnet"), Some(("platform_delete_agent".into(), true)));
        assert_eq!(read("platfrom_create_task"), Some(("platform_create_task".into(), true)));
        assert_eq!(read("platform_make_coffee"), None);
        assert_eq!(read(&"x".repeat(200)), None);
    }

    #[test]
    fn names_of_operations_count_and_are_never_read() {
        let mut metas = test_actions::all();
        metas.push(test_actions::operation("list.task"));
        let registry = ActionRegistry::new(metas).unwrap();
        // One letter from the action and one from the operation.
        assert!(named_tool(&registry, "list_task").is_none());
        assert!(named_tool(&registry, "list.task").is_none());
        assert!(named_tool(&registry, "lst.task").is_none());
        assert!(matches!(read("list_task"), Some((_, true))), "without the operation it is the only one");
    }

    #[test]
    fn the_prefix_is_seen_in_every_spelling() {
        for given in ["platform_x", "Platform-X", "functions.platform_x", "platformX"] {
            assert!(has_prefix(given), "{given}");
        }
        assert!(!has_prefix("create_task") && !has_prefix("my_platform_x"));
    }
}
