//! Finds actions by names as models write them: without the prefix or the slug, in another case, with dashes, or with
//! a slip.

use std::sync::Arc;

use crate::{
    ActionKind, ActionMeta, ActionRegistry, Dispatcher, PREFIX, likeness::only_similar, spelling::snake,
};

/// The longest text that is read as a name, in bytes.
pub const MAX_NAME_LEN: usize = 128;
/// What models' templates put before a name.
const NAMESPACES: [&str; 4] = ["functions.", "function.", "default_api.", "tools."];

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum ToolName<'a> {
    Dispatcher(Dispatcher),
    /// An action for models. Never an operation.
    Action(&'a Arc<ActionMeta>),
}

#[derive(Clone, Copy, Debug)]
pub struct NamedTool<'a> {
    /// What the name stands for.
    pub tool: ToolName<'a>,
    /// Whether it is only the one known name that is at most two letters away, and not another spelling of it.
    pub likely: bool,
}

enum Spelled<'a> {
    None,
    One(ToolName<'a>),
    /// A name without prefix and slug that an action and a declared tool have.
    Both,
}

/// Returns the tool that a model means with `given`: exactly, in another spelling, or the only similar one among all
/// names, those of operations included. A name that is similar to an operation's is none. If an action and a declared
/// tool have the name, it is that of the dispatcher `within` which it was given, and of none outside of both.
pub fn named_tool<'a>(
    registry: &'a ActionRegistry,
    given: &str,
    within: Option<Dispatcher>,
) -> Option<NamedTool<'a>> {
    match spelled(registry, given, within) {
        Spelled::One(tool) => Some(NamedTool { tool, likely: false }),
        Spelled::Both => None,
        Spelled::None => Some(NamedTool { tool: similar(registry, given)?, likely: true }),
    }
}

/// Returns the tool that `given` names, in any spelling, outside of a dispatcher.
pub fn spelled_tool<'a>(registry: &'a ActionRegistry, given: &str) -> Option<ToolName<'a>> {
    match spelled(registry, given, None) {
        Spelled::One(tool) => Some(tool),
        Spelled::None | Spelled::Both => None,
    }
}

/// Returns the action that `given` names, in any spelling.
pub fn spelled_action<'a>(
    registry: &'a ActionRegistry,
    given: &str,
    within: Option<Dispatcher>,
) -> Option<&'a Arc<ActionMeta>> {
    match spelled(registry, given, within) {
        Spelled::One(ToolName::Action(meta)) => Some(meta),
        _ => None,
    }
}

/// Returns whether a name is one of ours: in any spelling it has the platform's prefix or the slug of one of the
/// workspace's toolsets, known or not, or it is that of a dispatcher or of an action of a pack.
pub fn has_prefix(registry: &ActionRegistry, given: &str) -> bool {
    readings(given).iter().any(|reading| {
        reading.starts_with(PREFIX)
            || registry.declared().has_slug_of(reading)
            || exact(registry, reading).is_some()
            || registry.declared().spelled(reading).is_some_and(|_| !is_bare(registry, reading))
    })
}

/// Adds the prefix of the platform unless the name has it already.
pub fn prefixed(name: &str) -> String {
    if name.starts_with(PREFIX) { name.to_owned() } else { format!("{PREFIX}{name}") }
}

fn spelled<'a>(registry: &'a ActionRegistry, given: &str, within: Option<Dispatcher>) -> Spelled<'a> {
    let readings = readings(given);
    if let Some(tool) = readings.iter().find_map(|reading| exact(registry, reading)) {
        return Spelled::One(tool);
    }
    let action = readings.iter().find_map(|reading| without_prefix(registry, reading));
    let declared = readings.iter().find_map(|reading| registry.declared().spelled(reading));
    match (action, declared.map(ToolName::Action), within) {
        (Some(action), None, _) | (Some(action), _, Some(Dispatcher::Platform)) => Spelled::One(action),
        (None, Some(tool), _) | (_, Some(tool), Some(Dispatcher::Declared)) => Spelled::One(tool),
        (Some(_), Some(_), None) => Spelled::Both,
        (None, None, _) => Spelled::None,
    }
}

/// Returns the compiled action with this name without its prefix: one of the platform, or the only one of all packs.
fn without_prefix<'a>(registry: &'a ActionRegistry, name: &str) -> Option<ToolName<'a>> {
    let mut of_packs = registry.packs().filter_map(|pack| exact(registry, &format!("{}_{name}", pack.slug)));
    let platform = exact(registry, &prefixed(name));
    platform.or_else(|| of_packs.next().filter(|_| of_packs.next().is_none()))
}

/// Returns the tool with this full name.
fn exact<'a>(registry: &'a ActionRegistry, name: &str) -> Option<ToolName<'a>> {
    match Dispatcher::parse(name) {
        Some(Dispatcher::Declared) if registry.declared().is_empty() => None,
        Some(dispatcher) => Some(ToolName::Dispatcher(dispatcher)),
        None => {
            let meta = registry.get(name)?;
            (meta.spec.kind == ActionKind::Tool).then_some(ToolName::Action(meta))
        }
    }
}

/// Returns whether a name in snake case is one without its slug.
fn is_bare(registry: &ActionRegistry, name: &str) -> bool {
    registry.declared().spellings().any(|(spelling, _)| spelling.bare == name)
}

fn similar<'a>(registry: &'a ActionRegistry, given: &str) -> Option<ToolName<'a>> {
    let word = readings(given).into_iter().nth(1)?;
    let word = registry.bare(&word);
    let compiled = || registry.compiled().map(|meta| &*meta.spec.name).chain([Dispatcher::Platform.as_str()]);
    let bare = |name: &'a str| registry.bare(name);
    let declared = || registry.declared().spellings().map(|(spelling, _)| spelling);
    let without = || compiled().map(bare).chain(declared().map(|spelling| &*spelling.bare));
    let whole = || compiled().chain(declared().map(|spelling| &*spelling.full));
    // A slip in the prefix or the slug itself: then the whole names are compared.
    let name = only_similar(word, without()).or_else(|| only_similar(word, whole()))?;
    let compiled = exact(registry, name).or_else(|| without_prefix(registry, name));
    compiled.or_else(|| registry.declared().spelled(name).map(ToolName::Action))
}

/// Returns the names that a text may be a spelling of: as it is, in snake case, and in snake case with acronyms. Empty
/// for a text that is too long for a name.
fn readings(given: &str) -> Vec<String> {
    if given.len() > MAX_NAME_LEN {
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
    use crate::{DeclaredTools, tests::test_actions};

    fn registry() -> ActionRegistry {
        ActionRegistry::new(test_actions::all()).unwrap()
    }

    fn read(given: &str) -> Option<(String, bool)> {
        let registry = registry();
        read_in(&registry, given, None)
    }

    fn read_in(registry: &ActionRegistry, given: &str, within: Option<Dispatcher>) -> Option<(String, bool)> {
        let named = named_tool(registry, given, within)?;
        let name = match named.tool {
            ToolName::Dispatcher(dispatcher) => dispatcher.as_str(),
            ToolName::Action(meta) => &meta.spec.name,
        };
        Some((name.to_owned(), named.likely))
    }

    fn with_declared(names: &[&str]) -> ActionRegistry {
        let declared = names.iter().map(|name| Arc::new(test_actions::declared(name)));
        registry().with_declared(Arc::new(DeclaredTools::new(declared)))
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
        assert_eq!(read("platform-execute"), Some((Dispatcher::Platform.as_str().into(), false)));
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
        assert!(named_tool(&registry, "list_task", None).is_none());
        assert!(named_tool(&registry, "list.task", None).is_none());
        assert!(named_tool(&registry, "lst.task", None).is_none());
        assert!(matches!(read("list_task"), Some((_, true))), "without the operation it is the only one");
    }

    #[test]
    fn the_prefix_is_seen_in_every_spelling() {
        let registry = registry();
        for given in ["platform_x", "Platform-X", "functions.platform_x", "platformX"] {
            assert!(has_prefix(&registry, given), "{given}");
        }
        for given in ["create_task", "my_platform_x", "tools_execute", "desk__x"] {
            assert!(!has_prefix(&registry, given), "{given}");
        }
    }

    #[test]
    fn names_of_the_workspaces_toolsets_are_ours() {
        let registry = with_declared(&["desk__getTicket"]);
        for given in
            ["desk__getTicket", "desk__gone", "functions.desk__getTicket", "deskGetTicket", "tools_execute"]
        {
            assert!(has_prefix(&registry, given), "{given}");
        }
        assert!(!has_prefix(&registry, "getTicket") && !has_prefix(&registry, "mail__getTicket"));
    }

    fn with_packs(names: &[&str]) -> ActionRegistry {
        let packs = names.iter().map(|name| test_actions::of_shop(name));
        ActionRegistry::new(test_actions::all().into_iter().chain(packs).collect()).unwrap()
    }

    #[test]
    fn an_action_of_a_pack_is_read_in_every_spelling() {
        let registry = with_packs(&["shop_list_orders", "shop_list_tasks"]);
        let read = |given: &str| read_in(&registry, given, None);
        for given in
            ["shop_list_orders", "shopListOrders", "Shop list orders", "list_orders", "functions.list-orders"]
        {
            assert_eq!(read(given), Some(("shop_list_orders".into(), false)), "{given}");
        }
        assert_eq!(read("shop_list_ordres"), Some(("shop_list_orders".into(), true)));
        assert_eq!(read("lst_orders"), Some(("shop_list_orders".into(), true)));
        // The platform has the name too, and a slip that is as near to both is neither.
        assert_eq!(read("list_tasks"), Some(("platform_list_tasks".into(), false)));
        assert_eq!(read("list_taskz"), None);
        for (name, ours) in [("shop_list_orders", true), ("shop-list-orders", true), ("shop_close", false)] {
            assert_eq!(has_prefix(&registry, name), ours, "{name}: a client may have tools of its own");
        }
    }

    #[test]
    fn a_declared_tool_is_read_in_every_spelling() {
        let registry = with_declared(&["desk__getTicket", "desk__close"]);
        let read = |given: &str| read_in(&registry, given, None);
        for given in
            ["desk__getTicket", "desk__get_ticket", "Desk get ticket", "get_ticket", "functions.getTicket"]
        {
            assert_eq!(read(given), Some(("desk__getTicket".into(), false)), "{given}");
        }
        assert_eq!(read("desk__get_tickt"), Some(("desk__getTicket".into(), true)));
        assert_eq!(read("get_tikcet"), Some(("desk__getTicket".into(), true)));
        assert_eq!(read("tools-execute"), Some(("tools_execute".into(), false)));
        assert_eq!(read("desk__open"), None);
    }

    #[test]
    fn a_name_of_an_action_and_a_declared_tool_is_that_of_the_dispatcher() {
        let registry = with_declared(&["desk__create_task"]);
        assert!(read_in(&registry, "create_task", None).is_none());
        for (within, name) in
            [(Dispatcher::Platform, "platform_create_task"), (Dispatcher::Declared, "desk__create_task")]
        {
            assert_eq!(read_in(&registry, "create_task", Some(within)), Some((name.into(), false)));
        }
        for name in ["platform_create_task", "desk__create_task"] {
            assert_eq!(read_in(&registry, name, None), Some((name.into(), false)));
        }
        // A slip in a name that both have is no call of either.
        assert!(read_in(&registry, "create_tsak", None).is_none());
    }
}
