//! The kind of application that makes a call.
#![deny(missing_docs)]

use std::{fmt, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the configured names, such as `chat` or `mission`. Comes from the credential, never from text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct CallerType(#[schemars(with = "String", length(min = 1, max = 40))] Arc<str>);

impl CallerType {
    /// The names that need no configuration.
    pub const BUILT_IN: [&'static str; 8] =
        ["chat", "knowledge_qa", "mission", "playbook", "channel", "heartbeat", "console", "api"];

    /// The types that a user token may have. The last one is the default.
    pub const FOR_USERS: [&'static str; 5] = ["chat", "knowledge_qa", "channel", "console", "api"];

    /// The types of runs that the scheduler starts, with no person beside them.
    pub const BACKGROUND: [&'static str; 3] = ["mission", "playbook", "heartbeat"];

    /// Wraps a name without checking it. The engine checks that the name is configured.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Returns whether it is one of [`CallerType::BACKGROUND`].
    pub fn is_background(&self) -> bool {
        Self::BACKGROUND.contains(&self.as_str())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
