//! Messages of JSON-RPC: finds the response to a request.

use std::collections::BTreeMap;

use serde_json::{Map, Value, value::RawValue};
use toolcrib_model::{count_values, parse_lossy};

use super::{McpError, text};
use crate::{
    sse::{SseReader, StreamPosition},
    upstream::{StreamWatch, is_event_stream},
};

/// The most values of a result.
const MAX_VALUES: usize = 250_000;

/// The response to a request. Its parts are not parsed: a part that can't be used does not hide the others.
struct Response<'m> {
    result: Option<&'m RawValue>,
    /// The error, which is not null.
    error: Option<&'m RawValue>,
    /// Whether it has the request's id. An error without an id counts too: the server could not read the request's id.
    names_request: bool,
}

/// Returns the result in the body of a response, as JSON text; `None` if the response to the request is not there.
pub fn result_in(
    body: &[u8],
    content_type: Option<&str>,
    id: u64,
) -> Option<Result<Box<RawValue>, McpError>> {
    if !content_type.is_some_and(is_event_stream) {
        return response_in(body, id, result);
    }
    let mut events = SseReader::default();
    let mut messages = events.push(body);
    // The blank line after the last event may be missing.
    messages.extend(events.end());
    messages.iter().find_map(|data| response_in(data, id, result))
}

/// Returns the error of JSON-RPC in the body of an HTTP error, and whether it names the request. The body may
/// be cut.
pub fn error_in(body: &[u8], id: u64) -> Option<(McpError, bool)> {
    response_in(body, id, |response| Some((rpc_error(response.error?), response.names_request)))?
}

/// Parses a part of a message, unless it would need much more memory than its text.
pub fn parse(text: &RawValue) -> Option<Value> {
    let text = text.get().as_bytes();
    if count_values(text) > MAX_VALUES { None } else { parse_lossy(text).ok() }
}

/// Parses a result that must be an object.
pub fn parse_object(result: &RawValue) -> Result<Map<String, Value>, McpError> {
    match parse(result) {
        Some(Value::Object(result)) => Ok(result),
        _ => Err(McpError::Protocol("its result is not an object, or has too many values")),
    }
}

/// Returns the result. With an error beside it, nobody knows which of them holds.
fn result(response: &Response<'_>) -> Result<Box<RawValue>, McpError> {
    match (response.result, response.error) {
        (Some(result), None) => Ok(result.to_owned()),
        (Some(result), Some(_)) if !is_null(result) => {
            Err(McpError::Protocol("it has a result and an error"))
        }
        (_, Some(error)) => Err(rpc_error(error)),
        (None, None) => Err(McpError::Protocol("it has neither a result nor an error")),
    }
}

fn rpc_error(error: &RawValue) -> McpError {
    let error = parse(error).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    McpError::Rpc { code, message: text::message(message) }
}

fn is_null(part: &RawValue) -> bool {
    part.get() == "null"
}

/// Reads the response to this request in one message or a batch of them.
fn response_in<T>(text: &[u8], id: u64, read: impl Fn(&Response<'_>) -> T) -> Option<T> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start_matches('\u{feff}');
    let batch = serde_json::from_str::<Vec<&RawValue>>(text).ok();
    let response = match &batch {
        Some(messages) => messages.iter().find_map(|message| response_to(message.get(), id)),
        None => response_to(text, id),
    };
    response.as_ref().map(read)
}

/// Reads a message. Requests and notifications of the server are left out.
fn response_to(message: &str, id: u64) -> Option<Response<'_>> {
    let parts: BTreeMap<String, &RawValue> = serde_json::from_str(message).ok()?;
    let part = |name: &str| parts.get(name).copied();
    let (result, error) = (part("result"), part("error").filter(|error| !is_null(error)));
    let names_request = part("id").is_some_and(|named| named.get() == id.to_string());
    let is_unnamed_error = error.is_some() && part("id").is_none_or(is_null);
    let is_response = part("method").is_none() && (result.is_some() || error.is_some());
    let is_ours = names_request || is_unnamed_error;
    (is_response && is_ours).then_some(Response { result, error, names_request })
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

    /// Returns where the stream can be continued, if it can.
    pub fn position(&self) -> Option<StreamPosition> {
        self.events.position()
    }
}

impl StreamWatch for ResponseWatch {
    fn has_enough(&mut self, bytes: &[u8]) -> bool {
        let id = self.id;
        self.events.push(bytes).iter().any(|data| response_in(data, id, |_| ()).is_some())
    }
}
