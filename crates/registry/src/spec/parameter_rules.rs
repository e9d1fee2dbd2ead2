//! Rules that depend on the value of one parameter.

use crate::{ConfirmationLevel, Permission};

/// A condition on the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// The parameter is given.
    Present,
    /// The parameter is `true`.
    IsTrue,
    /// The parameter equals this word.
    Equals(&'static str),
}

/// A parameter that raises the confirmation level: if the condition holds, the call needs at least `level`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Escalation {
    /// The top-level parameter's name.
    pub parameter: &'static str,
    /// When it counts.
    pub when: Condition,
    /// The minimum level if the condition holds.
    pub level: ConfirmationLevel,
}

/// A parameter that needs an additional permission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamPermission {
    /// The top-level parameter's name.
    pub parameter: &'static str,
    /// When it counts.
    pub when: Condition,
    /// The permission that the call then needs.
    pub permission: Permission,
}
