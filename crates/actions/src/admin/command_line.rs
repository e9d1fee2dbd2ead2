//! What the command line adds in the database, where it has no caller: the inputs of the operations that add the same over
//! the API, checked as these operations check them.

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_engine::prelude::*;
use toolcrib_registry::{InputSchema, schema_of};

pub use super::{
    keys::{KeyInput, plan as plan_key},
    members::MemberInput,
    workspaces::WorkspaceInput,
};

/// An input with rules that its schema can't express and that depend on no caller.
pub trait CheckedInput: DeserializeOwned + JsonSchema {
    /// Returns 422 for what breaks a rule.
    fn check(&self) -> Result<(), ActionError>;
}

/// Returns the input that these arguments are, or 422.
pub fn checked<I: CheckedInput>(arguments: Value) -> Result<I, ActionError> {
    let schema = InputSchema::new(schema_of::<I>()).map_err(ActionError::internal)?;
    let input: I = schema.deserialize(arguments).map_err(ActionError::invalid_all)?;
    input.check()?;
    Ok(input)
}
