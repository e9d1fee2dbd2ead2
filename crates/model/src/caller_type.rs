//! What kind of application stands behind a call.

use std::{fmt, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the configured names, such as `chat` or `mission`. Comes from the credential, never from text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct CallerType(#[schemars(with = "String", length(min = 1, max = 40))] Arc<str>);

impl CallerType {
    /// The built-in names.
    pub const BUILT_IN: [&'static str; 8] =
        ["chat", "knowledge_qa", "mission", "playbook", "channel", "heartbeat", "console", "api"];

    /// What a user token may be; the last is its default.
    pub const FOR_USERS: [&'static str; 5] = ["chat", "knowledge_qa", "channel", "console", "api"];

    /// Wraps a name; whether it is a configured one is the engine's question.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
