//! An action's spec together with its schemas.

use serde_json::Value;

use crate::{schema::InputSchema, spec::Spec, untrusted};

/// What the registry knows about one action. The way to run it is the engine's.
#[derive(Debug)]
pub struct ActionMeta {
    /// What it declares.
    pub spec: Spec,
    /// Arguments of the operation.
    pub input: InputSchema,
    /// Result of the operation.
    pub output: Value,
    /// Pointers of its output's texts that do not say whose words they are; the lint refuses them.
    pub(crate) undeclared: Vec<String>,
}

impl ActionMeta {
    /// Joins a spec with its schemas; the error names the action.
    pub fn new(spec: Spec, input: Value, mut output: Value) -> Result<Self, String> {
        let input = InputSchema::new(input).map_err(|fault| format!("`{}`: {fault}", spec.name))?;
        let undeclared = untrusted::undeclared(&output);
        untrusted::publish(&mut output);
        Ok(Self { spec, input, output, undeclared })
    }

    /// The sources of other people's words that `data`, an output of this action, holds.
    pub fn untrusted(&self, data: &Value) -> Vec<&'static str> {
        untrusted::sources(&self.output, data)
    }
}
