//! Reads the response of an upstream and returns the part of it that the caller gets. Every response is other
//! people's words, so each step is bounded.

mod media_type;
mod shape;

use serde_json::{Value, json};
use toolcrib_model::{count, count_values, parse_lossy};

use crate::{
    defect::quoted,
    document::ResponseMapping,
    limits::{DEFAULT_RESPONSE_BYTES, MAX_RESPONSE_VALUES},
    response::{
        media_type::{ResponseSyntax, is_composite, response_syntax, unreadable},
        shape::ResponseShaper,
    },
};

/// A response that came, and the part of it that the caller gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapedResponse {
    /// The whole response, as the pointers of `result_text` and of a target's `label` and `version` need it.
    pub response: Value,
    /// The selected part; null for a response without a body.
    pub data: Value,
    /// Whether a list or a text was cut.
    pub truncated: bool,
    /// What the response is, if `data` is null because it can't be shown: `application/pdf, 9 bytes`.
    pub unreadable: Option<String>,
}

impl ShapedResponse {
    /// A response of this type and size that can't be shown.
    pub fn unreadable(content_type: Option<&str>, size: &str) -> Self {
        Self { unreadable: Some(unreadable(content_type, size)), ..Self::default() }
    }
}

/// Returns how many bytes of a response are read at most. A longer response can't be shown.
pub fn max_response_bytes(mapping: Option<&ResponseMapping>) -> usize {
    let bytes = mapping.and_then(|mapping| mapping.max_bytes);
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(DEFAULT_RESPONSE_BYTES)
}

/// Reads a response and returns the part of it that the caller gets.
///
/// JSON is read as its value, and text as a string; a response without a body is null. What is no JSON although its
/// type says so is `{"text": …}`, unless the mapping selects parts: it might contain what they leave out. Anything else
/// is described in `unreadable`.
///
/// `select` goes first. Of an object, or of each object of a list, `fields` keeps the named parts: a field
/// that the response does not have is left out, and null stays null. Then lists are cut to `max_items` and
/// texts to `max_text` characters, at every depth. Where `select` finds nothing, the data is the mapping's
/// `default`.
pub fn shape_response(
    mapping: Option<&ResponseMapping>,
    content_type: Option<&str>,
    body: &[u8],
) -> ShapedResponse {
    let size = count(body.len(), "byte");
    let Some(response) = read(content_type, body, mapping.is_some_and(selects)) else {
        return ShapedResponse::unreadable(content_type, &size);
    };
    if response.is_null() {
        return ShapedResponse::default();
    }
    let select = mapping.and_then(|mapping| mapping.select.as_deref()).unwrap_or_default();
    let Some(selected) = response.pointer(select) else {
        let found = format!("{size}, nothing at {}", quoted(select));
        return match mapping.and_then(|mapping| mapping.default.clone()) {
            Some(data) => ShapedResponse { response, data, ..ShapedResponse::default() },
            None => ShapedResponse { response, ..ShapedResponse::unreadable(content_type, &found) },
        };
    };
    let mut shaper = ResponseShaper::new(mapping);
    let fields = mapping.and_then(|mapping| mapping.fields.as_ref()).filter(|fields| !fields.is_empty());
    let data = match fields {
        Some(fields) => shaper.pick(selected, fields),
        None => shaper.cut(selected),
    };
    ShapedResponse { data, truncated: shaper.truncated, response, unreadable: None }
}

/// Returns a value that came, with its lists and texts cut.
pub fn shape_value(response: Value) -> ShapedResponse {
    let mut shaper = ResponseShaper::new(None);
    let data = shaper.cut(&response);
    ShapedResponse { data, truncated: shaper.truncated, response, unreadable: None }
}

/// Returns whether the caller gets only parts of the JSON.
fn selects(mapping: &ResponseMapping) -> bool {
    mapping.select.is_some() || mapping.fields.as_ref().is_some_and(|fields| !fields.is_empty())
}

/// Reads the whole body; `None` if it can't be shown.
fn read(content_type: Option<&str>, body: &[u8], needs_json: bool) -> Option<Value> {
    // Some services begin every text with a byte order mark.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if body.iter().all(u8::is_ascii_whitespace) {
        return Some(Value::Null);
    }
    match response_syntax(content_type, body) {
        _ if needs_json => read_json(body),
        ResponseSyntax::Json => read_json(body).or_else(|| Some(json!({ "text": text(body)? }))),
        ResponseSyntax::Text => text(body).map(Value::from),
        ResponseSyntax::Other => Some(body).filter(|body| is_composite(body)).and_then(read_json),
    }
}

fn read_json(body: &[u8]) -> Option<Value> {
    if count_values(body) > MAX_RESPONSE_VALUES { None } else { parse_lossy(body).ok() }
}

fn text(body: &[u8]) -> Option<&str> {
    std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'))
}
