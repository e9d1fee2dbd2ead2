//! An action's spec and schemas.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    caller_default::{CallerDefaults, require},
    schema::{InputSchema, StoredSchema},
    spec::Spec,
    untrusted,
    validate::{Checker, tidy},
};

/// The spec and schemas of one action. The engine has the function that runs the action.
#[derive(Debug)]
pub struct ActionMeta {
    pub spec: Spec,
    pub input: InputSchema,
    pub output: StoredSchema,
    /// JSON pointers to the output's texts that do not declare who wrote them. The lint refuses them.
    pub(crate) undeclared: Vec<String>,
    /// See [`ActionMeta::definition`].
    definition: Option<Arc<str>>,
    /// The action as it is shown to callers without the value of [`Spec::caller_default`].
    without_default: Option<Arc<ActionMeta>>,
}

impl ActionMeta {
    /// Compiles the schemas. The error names the action.
    pub fn new(spec: Spec, input: Value, mut output: Value) -> Result<Self, String> {
        let without_default = spec.caller_default.and_then(|default| require(&input, default));
        let sources = spec.category.pack().map_or(&[][..], |pack| pack.sources);
        let undeclared = untrusted::undeclared(&output, sources);
        untrusted::publish(&mut output);
        let without_default = without_default.map(|input| {
            let (input, output) = (InputSchema::accepted(&input), StoredSchema::text(&output));
            let (spec, undeclared) = (spec.clone(), Vec::new());
            Arc::new(Self { spec, input, output, undeclared, definition: None, without_default: None })
        });
        let input = InputSchema::new(input).map_err(|error| format!("`{}`: {error}", spec.name))?;
        let output = StoredSchema::parsed(output);
        Ok(Self { spec, input, output, undeclared, definition: None, without_default })
    }

    /// Keeps the schemas as text until the action is called.
    pub(crate) fn pack(&mut self) {
        self.input.pack();
        self.output.pack();
    }

    /// Makes a declared tool, whose schemas were accepted with its toolset. `definition` is the digest of its
    /// definition.
    pub fn declared(spec: Spec, input: &Value, output: &Value, definition: &str) -> Self {
        let (input, output) = (InputSchema::accepted(input), StoredSchema::text(output));
        let definition = Some(definition.into());
        Self { spec, input, output, undeclared: Vec::new(), definition, without_default: None }
    }

    /// Returns the digest of what confirmations and grants are bound to, in hex: of a declared tool everything that
    /// decides what it is and does, of an action the schema of its arguments.
    pub fn definition(&self) -> &str {
        self.definition.as_deref().unwrap_or_else(|| self.input.digest())
    }

    /// Returns the action as a caller with these values is shown it. Calls are always validated against the
    /// action itself.
    pub fn shown_to(self: &Arc<Self>, defaults: CallerDefaults) -> &Arc<Self> {
        match (&self.without_default, self.spec.caller_default) {
            (Some(shown), Some(default)) if !defaults.has(default) => shown,
            _ => self,
        }
    }

    /// Returns whether an output fits the schema of the outputs; `None` if the action declares none.
    pub fn output_fits(&self, output: &Value) -> Option<bool> {
        let schema = self.output.value();
        let declared = schema.as_object().is_some_and(|schema| !schema.is_empty());
        declared.then(|| {
            let mut output = output.clone();
            tidy(schema, &mut output, false);
            Checker::new(schema).is_ok_and(|checker| checker.errors(schema, &output).is_empty())
        })
    }

    /// Returns the untrusted sources of the texts in `data`, an output of this action.
    pub fn untrusted(&self, data: &Value) -> Vec<&str> {
        untrusted::sources(self.output.value(), data)
    }
}
