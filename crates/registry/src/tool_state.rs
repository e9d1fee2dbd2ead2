//! Whether a declared tool is on.

/// Whether a tool that a workspace declares can be called, whoever calls it. Compiled actions are always on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolState {
    /// It can be called.
    On,
    /// Its toolset is off in this workspace.
    ToolsetOff,
    /// The workspace disabled it.
    Disabled,
    /// It is a draft: nobody has accepted it.
    Draft,
    /// Its server defines it otherwise than it was accepted.
    Drifted,
}

impl ToolState {
    /// Returns the state as the API writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::ToolsetOff => "toolset_off",
            Self::Disabled => "disabled",
            Self::Draft => "draft",
            Self::Drifted => "drifted",
        }
    }
}
