//! Which callers may call a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The callers that may call a tool: `"everyone"`, or lists of types and names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum DeclaredAccess {
    /// No restriction by caller.
    Word(EveryoneWord),
    /// Callers with one of the types or one of the names. Two empty lists admit no caller.
    Lists(AccessLists),
}

/// The word for callers of every type and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EveryoneWord {
    /// No restriction by caller.
    Everyone,
}

/// Callers by type and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AccessLists {
    /// Caller types, such as `mission`.
    #[schemars(length(max = 100), inner(length(min = 1, max = 40)))]
    #[serde(default)]
    pub types: Vec<String>,
    /// Names of agents. Compared with agents' slugs in lower case, with `-` for `_` and spaces.
    #[schemars(length(max = 100), inner(length(min = 1, max = 200)))]
    #[serde(default)]
    pub names: Vec<String>,
}
