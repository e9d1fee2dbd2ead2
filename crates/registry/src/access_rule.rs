//! Which callers an action names.

use serde::Serialize;

/// Whom an action is for, beside roles and scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessibleBy {
    /// No restriction by caller.
    Everyone,
    /// A matching type **or** a matching name allows; empty lists are nobody.
    Only {
        /// Caller types, such as `mission`.
        types: &'static [&'static str],
        /// Caller names: agents' slugs, fixed at their creation.
        names: &'static [&'static str],
    },
}

impl AccessibleBy {
    /// Whether a caller of this type and name is among those named.
    pub fn admits(self, caller_type: &str, caller_name: Option<&str>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Only { types, names } => {
                types.contains(&caller_type) || caller_name.is_some_and(|name| names.contains(&name))
            }
        }
    }
}
