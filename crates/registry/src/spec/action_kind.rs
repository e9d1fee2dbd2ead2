//! Actions for models and operations for programs.

/// Who may call an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Models and programs. The action is part of the catalogue.
    Tool,
    /// Programs only, over REST and the command line. For administration and records; never in a tool list.
    Operation,
}
