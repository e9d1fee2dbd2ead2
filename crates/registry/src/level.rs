//! How far an action's effect reaches, and what that asks for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// What a waiting confirmation asks for, by its wire word; that is never none.
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

/// The bucket that a call spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitClass {
    /// Reads of actions.
    Read,
    /// Calls of write and destructive actions per minute.
    Write,
    /// Calls of external actions per minute.
    External,
    /// Administration.
    Admin,
    /// Records of the platform's runtimes.
    Records,
    /// Tool lists and search.
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
            Self::Admin => "admin",
            Self::Records => "records",
            Self::Lists => "lists",
            Self::Refusals => "refusals",
        }
    }
}
