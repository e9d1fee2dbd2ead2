//! The level of an action, the confirmation that it needs and the rate limit that applies to it.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::Mutation;

/// What an action may do to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Level {
    /// Reads data; the database refuses writes.
    Read,
    /// Creates or changes data.
    Write,
    /// Removes data permanently; a person must confirm.
    Destructive,
}

impl Level {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
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

/// How a human confirms a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ConfirmationLevel {
    /// No confirmation.
    None,
    /// One approval.
    Simple,
    /// Two steps: approve, then type the phrase.
    Typed,
}

impl ConfirmationLevel {
    /// Parses the level of a pending confirmation, which is never `none`. Any word but `typed` gives
    /// `Simple`.
    pub fn of_waiting(word: &str) -> Self {
        if word == Self::Typed.as_str() { Self::Typed } else { Self::Simple }
    }

    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Simple => "simple",
            Self::Typed => "typed",
        }
    }
}

/// The rate limit bucket that a call counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitClass {
    /// Calls of read actions.
    Read,
    /// Calls of write and destructive actions.
    Write,
    /// Calls of external actions.
    External,
    /// Calls of declared tools that the caller runs.
    Client,
    /// Calls of administrative operations.
    Admin,
    /// Records that the platform's runtimes report, and client tokens.
    Records,
    /// Requests for tool lists and searches.
    Lists,
    /// Refused calls.
    Refusals,
}

impl LimitClass {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::External => "external",
            Self::Client => "client",
            Self::Admin => "admin",
            Self::Records => "records",
            Self::Lists => "lists",
            Self::Refusals => "refusals",
        }
    }
}
