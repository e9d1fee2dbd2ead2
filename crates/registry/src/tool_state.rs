//! Whether a tool is on.

toolcrib_model::closed_set! {
    "a tool state",
    /// Whether a tool can be called, whoever calls it. The platform's actions always can.
    ToolState {
        /// It can be called.
        On = "on",
        /// Its toolset is off in this workspace.
        ToolsetOff = "toolset_off",
        /// The workspace disabled it.
        Disabled = "disabled",
        /// It is a draft: nobody has accepted it.
        Draft = "draft",
        /// Its server defines it otherwise than it was accepted.
        Drifted = "drifted",
        /// The operator does not offer its pack.
        NotOffered = "not_offered",
    }
}
