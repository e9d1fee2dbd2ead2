//! Reserved names.

/// The prefix of every action that models see.
pub const PREFIX: &str = "platform_";
/// What stands between a toolset's slug and a tool's name. No compiled action has it in its name.
pub(crate) const SEPARATOR: &str = "__";
/// The name of the platform's dispatcher. No action may have it.
pub const DISPATCHER: &str = "platform_execute";
pub const TOOLS_DISPATCHER: &str = "tools_execute";
/// The action that searches the others; errors and instructions refer to it.
pub const FIND_TOOLS: &str = "platform_find_tools";
/// The action that lists the others; the advice after a search without a result refers to it.
pub const LIST_TOOLS: &str = "platform_list_tools";
