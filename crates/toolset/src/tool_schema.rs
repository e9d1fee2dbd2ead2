//! Checks and normalises the schemas of a tool: references are inlined, objects closed, strings and lists
//! bounded.

mod bounds;
mod keywords;
mod parameter_info;
mod sensitive;
mod walk;

use serde_json::{Value, json};
use toolcrib_registry::InputSchema;

use crate::{limits::MAX_SCHEMA_BYTES, note::CheckReport};

pub use keywords::length;
pub use parameter_info::{ParameterInfo, ParameterKind, parameters_of};
pub use sensitive::is_named_secret;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPurpose {
    /// The parameters of a tool. Its root is an object.
    Parameters,
    Output,
}

/// Returns the normalised schema. Adds its defects, and a note for each change.
pub fn normalise_schema(schema: &Value, purpose: SchemaPurpose, at: &str, report: &mut CheckReport) -> Value {
    let mut walk = walk::SchemaWalk::new(schema, purpose, at, report);
    let normalised = walk.root();
    walk.finish();
    if report.defects.is_within(at) {
        return normalised;
    }
    let bytes = normalised.to_string().len();
    if bytes > MAX_SCHEMA_BYTES {
        report.defect(
            at,
            format!("has {bytes} bytes with its references inlined; at most {MAX_SCHEMA_BYTES} are possible"),
        );
    } else if let Err(message) = InputSchema::new(normalised.clone()) {
        report.defect(at, format!("is not a valid JSON Schema: {message}"));
    }
    normalised
}

/// Returns the schema of a tool without parameters.
pub fn no_parameters() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}
