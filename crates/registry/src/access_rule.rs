//! Restricts an action to callers of a type or name.

use std::sync::Arc;

use serde::Serialize;

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

/// Returns the words as a shared list.
pub fn texts(words: &[&str]) -> Arc<[Arc<str>]> {
    words.iter().map(|word| Arc::from(*word)).collect()
}

/// Returns the form in which names of agents are compared: lower case, with `-` for `_` and spaces.
pub fn slug_form(name: &str) -> String {
    slug_chars(name).collect()
}

fn is_same_slug(a: &str, b: &str) -> bool {
    slug_chars(a).eq(slug_chars(b))
}

fn slug_chars(name: &str) -> impl Iterator<Item = char> {
    name.trim().chars().flat_map(char::to_lowercase).map(|c| if c == '_' || c == ' ' { '-' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_in_slug_form() {
        assert_eq!(slug_form("project_initializer"), "project-initializer");
        assert_eq!(slug_form(" Prototype Designer "), "prototype-designer");
        let rule = AccessibleBy::only(&["mission"], &["Project_Initializer"]);
        assert!(rule.admits("chat", Some("project-initializer")) && rule.admits("mission", None));
        assert!(!rule.admits("chat", Some("initializer")) && !rule.admits("chat", None));
    }
}
