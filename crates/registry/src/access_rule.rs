//! Restricts an action to callers of a type or name.

use std::sync::Arc;

use serde::Serialize;

use crate::texts::texts;

/// The callers that may call an action. Applies in addition to roles and scopes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessibleBy {
    /// No restriction by caller.
    Everyone,
    /// Callers with one of the types **or** one of the names. Two empty lists admit no caller.
    Only {
        /// Caller types, such as `mission`.
        types: Arc<[Arc<str>]>,
        /// Caller names: agents' slugs, fixed at their creation. `project_initializer` names the agent
        /// `project-initializer`.
        names: Arc<[Arc<str>]>,
    },
}

impl AccessibleBy {
    /// Restricts an action to callers with one of the types or one of the names.
    pub fn only(types: &[&str], names: &[&str]) -> Self {
        Self::Only { types: texts(types), names: texts(names) }
    }

    /// Returns whether the rule admits a caller of this type and name.
    pub fn admits(&self, caller_type: &str, caller_name: Option<&str>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Only { types, names } => {
                let named = |known: &Arc<str>| caller_name.is_some_and(|name| is_same_slug(known, name));
                types.iter().any(|known| **known == *caller_type) || names.iter().any(named)
            }
        }
    }

    /// Returns whether the rule grants the action to callers of this name.
    pub fn names(&self, name: &str) -> bool {
        matches!(self, Self::Only { names, .. } if names.iter().any(|known| is_same_slug(known, name)))
    }
}

/// Returns whether two names are the same agent's slug: letters in either case, and `_` and spaces for `-`.
fn is_same_slug(a: &str, b: &str) -> bool {
    let normal = |c: char| if c == '_' || c == ' ' { '-' } else { c.to_ascii_lowercase() };
    a.chars().map(normal).eq(b.chars().map(normal))
}
