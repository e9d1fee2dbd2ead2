//! Restricts an action to callers of a type or name.

use serde::Serialize;

/// The callers that may call an action. Applies in addition to roles and scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessibleBy {
    /// No restriction by caller.
    Everyone,
    /// Callers with one of the types **or** one of the names. Two empty lists admit no caller.
    Only {
        /// Caller types, such as `mission`.
        types: &'static [&'static str],
        /// Caller names: agents' slugs, fixed at their creation.
        names: &'static [&'static str],
    },
}

impl AccessibleBy {
    /// Returns whether the rule admits a caller of this type and name.
    pub fn admits(self, caller_type: &str, caller_name: Option<&str>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Only { types, names } => {
                types.contains(&caller_type) || caller_name.is_some_and(|name| names.contains(&name))
            }
        }
    }
}
