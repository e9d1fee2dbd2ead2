//! Rules that depend on the value of one parameter.

use std::sync::Arc;

use crate::{ConfirmationLevel, Permission};

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Present,
    IsTrue,
    Equals(Arc<str>),
}

/// A parameter that raises the confirmation level: if the condition holds, the call needs at least `level`.
#[derive(Clone, Debug, PartialEq)]
pub struct Escalation {
    /// The top-level parameter's name.
    pub parameter: Arc<str>,
    pub when: Condition,
    /// The minimum level if the condition holds.
    pub level: ConfirmationLevel,
}

impl Escalation {
    /// Creates a rule for the top-level parameter with this name.
    pub fn new(parameter: &str, when: Condition, level: ConfirmationLevel) -> Self {
        Self { parameter: parameter.into(), when, level }
    }
}

/// A parameter that needs an additional permission.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamPermission {
    /// The top-level parameter's name.
    pub parameter: Arc<str>,
    pub when: Condition,
    /// The permission that the call then needs.
    pub permission: Permission,
}

impl ParamPermission {
    /// Creates a rule for the top-level parameter with this name.
    pub fn new(parameter: &str, when: Condition, permission: Permission) -> Self {
        Self { parameter: parameter.into(), when, permission }
    }
}
