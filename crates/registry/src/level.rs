//! The level of an action, the confirmation that it needs, the rate limit that applies to it, and whether it is on.
#![deny(missing_docs)]

use toolcrib_model::Mutation;

toolcrib_model::closed_set! {
    "a level",
    /// What an action may do to data.
    #[derive(Ord, PartialOrd)]
    Level {
        /// Reads data; the database refuses writes.
        Read = "read",
        /// Creates or changes data.
        Write = "write",
        /// Removes data permanently; a person must confirm.
        Destructive = "destructive",
    }
}

impl From<Level> for Mutation {
    /// Returns what an action of this level does, unless its declaration says more.
    fn from(level: Level) -> Self {
        match level {
            Level::Read => Self::Read,
            Level::Write => Self::Update,
            Level::Destructive => Self::Delete,
        }
    }
}

toolcrib_model::closed_set! {
    "a confirmation level",
    /// How a human confirms a call.
    #[derive(Ord, PartialOrd)]
    ConfirmationLevel {
        /// No confirmation.
        None = "none",
        /// One approval.
        Simple = "simple",
        /// Two steps: approve, then type the phrase.
        Typed = "typed",
    }
}

impl ConfirmationLevel {
    /// Parses the level of a pending confirmation, which is never `none`. Any word but `typed` gives
    /// `Simple`.
    pub fn of_waiting(word: &str) -> Self {
        if word == Self::Typed.as_str() { Self::Typed } else { Self::Simple }
    }
}

toolcrib_model::closed_set! {
    "a limit class",
    /// The rate limit bucket that a call counts against.
    LimitClass {
        /// Calls of read actions.
        Read = "read",
        /// Calls of write and destructive actions.
        Write = "write",
        /// Calls of external actions.
        External = "external",
        /// Calls of declared tools that the caller runs.
        Client = "client",
        /// Calls of administrative operations.
        Admin = "admin",
        /// Records that the platform's runtimes report, and client tokens.
        Records = "records",
        /// Requests for tool lists and searches.
        Lists = "lists",
        /// Tests of upstreams and webhooks.
        Tests = "tests",
        /// Refused calls.
        Refusals = "refusals",
    }
}

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
