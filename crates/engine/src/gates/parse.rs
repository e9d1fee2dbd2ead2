//! Gate 2: parses the request strictly, once.

use serde_json::Value;
use toolcrib_model::{ErrorCode, parse_strict};

use crate::{
    base::{ActionError, Arguments, compute_large},
    caller::CallRequest,
};

/// Maximum nesting of JSON inside JSON strings.
const MOST_LAYERS: usize = 3;

/// A call whose arguments are one well-formed JSON object.
pub struct Parsed {
    name: String,
    arguments: Value,
}

impl Parsed {
    /// Returns the name that was called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// Returns the name and the arguments.
    pub(super) fn into_parts(self) -> (String, Value) {
        (self.name, self.arguments)
    }
}

/// Parses a request.
pub fn of_request(request: &CallRequest) -> Result<Parsed, ActionError> {
    if request.name.contains('\0') {
        return Err(malformed("the action's name holds a NUL character"));
    }
    let arguments = match &request.arguments {
        Arguments::Bytes(bytes) => read(bytes)?,
        Arguments::Text(text) => read(unfenced(text).as_bytes())?,
        Arguments::Json(value) => value.clone(),
    };
    let arguments = if request.tool_call.is_some() { unwrapped(arguments)? } else { arguments };
    if !arguments.is_object() {
        return Err(malformed("the arguments must be a JSON object"));
    }
    Ok(Parsed { name: request.name.clone(), arguments })
}

/// Removes a code fence around the text.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

/// Unwraps JSON inside a JSON string, and a list that contains only one object, because models send them and
/// the meaning is unambiguous. Leaves null and an empty list alone, because they are ambiguous.
fn unwrapped(mut value: Value) -> Result<Value, ActionError> {
    for _ in 0..MOST_LAYERS {
        value = match value {
            Value::String(text) => read(unfenced(&text).as_bytes())?,
            Value::Array(mut items) if items.len() == 1 && items.iter().all(Value::is_object) => {
                items.pop().unwrap_or_default()
            }
            other => return Ok(other),
        };
    }
    Ok(value)
}

/// Parses the stored call of a confirmation.
pub fn of_confirmation(action: &str, arguments: &str) -> Result<Parsed, ActionError> {
    Ok(Parsed { name: action.to_owned(), arguments: read(arguments.as_bytes())? })
}

fn read(bytes: &[u8]) -> Result<Value, ActionError> {
    compute_large(bytes.len(), || parse_strict(bytes)).map_err(|fault| malformed(fault.to_string()))
}

fn malformed(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::MalformedRequest, detail).hint("send one JSON object, such as `{}`")
}
