//! Reserved names.

/// The prefix of every action that models see.
pub const PREFIX: &str = "platform_";
/// The dispatcher's name. No action may have it.
pub const DISPATCHER: &str = "platform_execute";
/// The action that searches the others; errors and instructions refer to it.
pub const FIND_TOOLS: &str = "platform_find_tools";
