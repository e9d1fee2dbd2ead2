//! An action's spec together with its schemas.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{InputSchema, Spec, untrusted};

/// What the registry knows about one action. The way to run it is the engine's.
#[derive(Debug)]
pub struct ActionMeta {
    /// What it declares.
    pub spec: Spec,
    /// What it takes.
    pub input: InputSchema,
    /// What it gives.
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

/// SHA-256 of the RFC 8785 form, in hex. Equal values have equal digests, however they were written.
pub fn digest(value: &Value) -> String {
    canonical_and_digest(value).1
}

/// The RFC 8785 form, and its SHA-256 in hex.
pub fn canonical_and_digest(value: &Value) -> (String, String) {
    let canonical = canonical(value);
    let digest = hex::encode(Sha256::digest(&canonical));
    (canonical, digest)
}

/// The RFC 8785 form.
fn canonical(value: &Value) -> String {
    // Every `Value` has one: keys are strings and numbers are finite.
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
