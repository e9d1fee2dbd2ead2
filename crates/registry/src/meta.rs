//! An action's spec and schemas.

use serde_json::Value;

use crate::{schema::InputSchema, spec::Spec, untrusted};

/// The spec and schemas of one action. The engine has the function that runs the action.
#[derive(Debug)]
pub struct ActionMeta {
    /// What the action declares.
    pub spec: Spec,
    /// The schema of the arguments.
    pub input: InputSchema,
    /// The schema of the output.
    pub output: Value,
    /// JSON pointers to the output's texts that do not declare who wrote them. The lint refuses them.
    pub(crate) undeclared: Vec<String>,
}

impl ActionMeta {
    /// Compiles the schemas. The error names the action.
    pub fn new(spec: Spec, input: Value, mut output: Value) -> Result<Self, String> {
        let input = InputSchema::new(input).map_err(|fault| format!("`{}`: {fault}", spec.name))?;
        let undeclared = untrusted::undeclared(&output);
        untrusted::publish(&mut output);
        Ok(Self { spec, input, output, undeclared })
    }

    /// Returns the untrusted sources of the texts in `data`, an output of this action.
    pub fn untrusted(&self, data: &Value) -> Vec<&'static str> {
        untrusted::sources(&self.output, data)
    }
}
