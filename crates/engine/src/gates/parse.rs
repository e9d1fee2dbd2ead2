//! Gate 2: parses the request strictly, once.

use serde_json::{Map, Value};
use toolcrib_model::{ErrorCode, parse_strict};
use toolcrib_registry::{TextRepair, parse_lenient};

use crate::base::{ActionError, Arguments, CallRequest, compute_large};

/// Maximum nesting of JSON inside JSON strings.
const MAX_LAYERS: usize = 3;

/// A call whose arguments are one well-formed JSON object.
#[derive(Clone)]
pub struct Parsed {
    name: String,
    arguments: Value,
    text: TextRepair,
}

impl Parsed {
    /// Returns the name that was called.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// Returns the call with other arguments.
    pub(super) fn with_arguments(&self, arguments: Value) -> Self {
        Self { arguments, ..self.clone() }
    }

    /// Returns what had to be changed to read the arguments as JSON.
    pub fn text_repair(&self) -> TextRepair {
        self.text
    }
}

pub fn of_request(request: &CallRequest) -> Result<Parsed, ActionError> {
    if request.name.contains('\0') {
        return Err(malformed("the action's name holds a NUL character"));
    }
    let (arguments, text) = match &request.arguments {
        Arguments::Bytes(bytes) => (read(bytes)?, TextRepair::None),
        Arguments::Text(text) => read_text(text)?,
        Arguments::Json(value) => (value.clone(), TextRepair::None),
    };
    let (arguments, text) =
        if request.tool_call.is_some() { unwrapped(arguments, text)? } else { (arguments, text) };
    if !arguments.is_object() {
        return Err(malformed("the arguments must be a JSON object"));
    }
    Ok(Parsed { name: request.name.clone(), arguments, text })
}

/// Unwraps JSON inside a JSON string, and a list that contains only one object, because models send them and
/// the meaning is unambiguous. Null is no arguments, as where a provider sends it itself. Leaves an empty list alone,
/// because it is ambiguous.
fn unwrapped(mut value: Value, mut repair: TextRepair) -> Result<(Value, TextRepair), ActionError> {
    for _ in 0..MAX_LAYERS {
        value = match value {
            Value::String(text) => {
                let (value, inner) = read_text(&text)?;
                repair = repair.max(inner).max(TextRepair::Syntax);
                value
            }
            Value::Array(mut items) if items.len() == 1 && items.iter().all(Value::is_object) => {
                repair = repair.max(TextRepair::Syntax);
                items.pop().unwrap_or_default()
            }
            Value::Null => return Ok((Value::Object(Map::new()), repair.max(TextRepair::Syntax))),
            other => return Ok((other, repair)),
        };
    }
    Ok((value, repair))
}

/// Returns the object that a call of a model with these arguments, or with this text of them, is made with; `None` if it
/// is refused.
pub fn model_arguments(arguments: Value) -> Option<Value> {
    let (value, repair) = match arguments {
        Value::String(text) => read_text(&text).ok()?,
        value => (value, TextRepair::None),
    };
    let (value, _) = unwrapped(value, repair).ok()?;
    value.is_object().then_some(value)
}

/// Parses the stored call of a confirmation.
pub fn of_confirmation(action: &str, arguments: &str) -> Result<Parsed, ActionError> {
    Ok(Parsed { name: action.to_owned(), arguments: read(arguments.as_bytes())?, text: TextRepair::None })
}

fn read(bytes: &[u8]) -> Result<Value, ActionError> {
    compute_large(bytes.len(), || parse_strict(bytes)).map_err(|error| malformed(error.to_string()))
}

/// Parses text of a model.
fn read_text(text: &str) -> Result<(Value, TextRepair), ActionError> {
    compute_large(text.len(), || parse_lenient(text)).map_err(|error| malformed(error.to_string()))
}

fn malformed(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::MalformedRequest, detail).hint("send one JSON object, such as `{}`")
}
