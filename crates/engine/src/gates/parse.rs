//! Gate 2: what came is read strictly, once.

use serde_json::Value;
use toolcrib_model::{ErrorCode, parse_strict};

use crate::{
    base::{ActionError, Arguments, compute_large},
    caller::CallRequest,
};

/// Text inside text inside text is still read, but no deeper.
const MOST_LAYERS: usize = 3;

/// A call whose arguments are one well-formed JSON object.
pub struct Parsed {
    name: String,
    arguments: Value,
}

impl Parsed {
    /// The name that was called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was given.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The name and the arguments.
    pub(super) fn into_parts(self) -> (String, Value) {
        (self.name, self.arguments)
    }
}

/// Reads a request that came with a credential.
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

/// The text without a code fence around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

/// Models write JSON inside JSON, or a list around the one object: it can only mean that object. Null and an
/// empty list may mean anything.
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

/// The stored call of a confirmation: the second constructor.
pub fn of_confirmation(action: &str, arguments: &str) -> Result<Parsed, ActionError> {
    Ok(Parsed { name: action.to_owned(), arguments: read(arguments.as_bytes())? })
}

fn read(bytes: &[u8]) -> Result<Value, ActionError> {
    compute_large(bytes.len(), || parse_strict(bytes)).map_err(|fault| malformed(fault.to_string()))
}

fn malformed(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::MalformedRequest, detail).hint("send one JSON object, such as `{}`")
}
