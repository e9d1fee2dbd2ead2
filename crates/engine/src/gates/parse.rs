//! Gate 2: what came is read strictly, once.

use serde_json::Value;
use toolcrib_model::{ErrorCode, parse_strict};

use crate::{ActionError, Arguments, CallRequest};

/// A call whose arguments are one well-formed JSON object.
pub struct Parsed {
    pub(super) name: String,
    pub(super) arguments: Value,
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
}

/// Reads a request that came with a credential.
pub fn of_request(request: &CallRequest) -> Result<Parsed, ActionError> {
    let arguments = match &request.arguments {
        Arguments::Bytes(bytes) => read(bytes)?,
        Arguments::Text(text) => read(text.as_bytes())?,
        Arguments::Json(value) => value.clone(),
    };
    if !arguments.is_object() {
        return Err(malformed("the arguments must be a JSON object"));
    }
    Ok(Parsed { name: request.name.clone(), arguments })
}

/// The stored call of a confirmation: the second constructor.
pub fn of_confirmation(action: &str, arguments: &str) -> Result<Parsed, ActionError> {
    Ok(Parsed { name: action.to_owned(), arguments: read(arguments.as_bytes())? })
}

fn read(bytes: &[u8]) -> Result<Value, ActionError> {
    parse_strict(bytes).map_err(|fault| malformed(fault.to_string()))
}

fn malformed(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::MalformedRequest, detail).hint("send one JSON object, such as `{}`")
}
