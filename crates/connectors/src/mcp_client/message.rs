//! Messages of JSON-RPC: finds the response to a request.

use serde_json::{Map, Value};
use toolcrib_model::count_values;

use super::{McpError, shown, sse::SseReader};
use crate::upstream::{StreamWatch, is_event_stream};

/// The most values of one message.
const MAX_VALUES: usize = 250_000;

/// Returns the result in the body of a successful response.
pub fn result_in(body: &[u8], content_type: Option<&str>, id: u64) -> Result<Map<String, Value>, McpError> {
    let content_type = content_type.unwrap_or_default();
    let found = if is_event_stream(content_type) {
        let events = SseReader::default().push(body);
        events.iter().find_map(|data| response_in(data, id))
    } else if is_json(content_type) {
        let message =
            parse(body).ok_or(McpError::Protocol("it is not complete JSON, or has too many values"));
        response_to(message?, id)
    } else {
        return Err(McpError::Protocol("its content type is neither JSON nor an event stream"));
    };
    let Some(response) = found else {
        return Err(McpError::Protocol("it has no response to the request"));
    };
    if let Some(error) = response.get("error") {
        return Err(rpc_error(error));
    }
    match response {
        Value::Object(mut response) => match response.remove("result") {
            Some(Value::Object(result)) => Ok(result),
            _ => Err(McpError::Protocol("its result is not an object")),
        },
        _ => Err(McpError::Protocol("it is not an object")),
    }
}

/// Returns the error of JSON-RPC in the body of an HTTP error, and whether it names the request. The body may
/// be cut.
pub fn error_in(body: &[u8], id: u64) -> Option<(McpError, bool)> {
    let response = response_in(body, id)?;
    let names_request = response.get("id").and_then(Value::as_u64) == Some(id);
    Some((rpc_error(response.get("error")?), names_request))
}

fn rpc_error(error: &Value) -> McpError {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    McpError::Rpc { code, message: shown::message(message) }
}

fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

fn response_in(data: &[u8], id: u64) -> Option<Value> {
    response_to(parse(data)?, id)
}

/// Parses a message, unless it would need much more memory than its text.
fn parse(text: &[u8]) -> Option<Value> {
    if count_values(text) > MAX_VALUES {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// Returns the response to this request, from one message or a batch of them. An error without an id counts: the server could
/// not read the request's id. Requests and notifications of the server are left out.
fn response_to(message: Value, id: u64) -> Option<Value> {
    if let Value::Array(batch) = message {
        return batch.into_iter().find_map(|message| response_to(message, id));
    }
    let named = message.get("id").unwrap_or(&Value::Null);
    let is_error = message.get("error").is_some();
    let is_response = is_error || message.get("result").is_some();
    let is_ours = named.as_u64() == Some(id) || is_error && named.is_null();
    (message.get("method").is_none() && is_response && is_ours).then_some(message)
}

/// Waits in an event stream for the response to a request.
#[derive(Debug)]
pub struct ResponseWatch {
    events: SseReader,
    id: u64,
}

impl ResponseWatch {
    /// Waits for the response to the request with this id.
    pub fn new(id: u64) -> Self {
        Self { events: SseReader::default(), id }
    }
}

impl StreamWatch for ResponseWatch {
    fn has_enough(&mut self, bytes: &[u8]) -> bool {
        let id = self.id;
        self.events.push(bytes).iter().any(|data| response_in(data, id).is_some())
    }
}
