//! Reads the response of an upstream and returns the part of it that the caller gets. Every response is other
//! people's words, so each step is bounded.

mod media_type;
mod shape;

use serde_json::Value;
use toolcrib_model::count_values;

use crate::{
    defect::quoted,
    document::ResponseMapping,
    limits::{DEFAULT_RESPONSE_BYTES, MAX_RESPONSE_VALUES},
    response::{
        media_type::{ResponseSyntax, response_syntax},
        shape::ResponseShaper,
    },
};

/// The part of a response that the caller gets.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapedResponse {
    /// The selected part, a text, or null for a response without a body.
    pub data: Value,
    /// Whether a list or a text was cut.
    pub truncated: bool,
}

/// Why a response can't be read. The message names the content type, and nothing else of the response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableResponse(String);

/// Returns how many bytes of a response are read at most. A longer response is unreadable.
pub fn max_response_bytes(mapping: Option<&ResponseMapping>) -> usize {
    let bytes = mapping.and_then(|mapping| mapping.max_bytes);
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(DEFAULT_RESPONSE_BYTES)
}

/// Reads a response and returns the part of it that the caller gets: [`read_response`], then
/// [`shape_value`]. To mask a secret, do so between the two: a text that was cut may hold a part of it.
pub fn shape_response(
    mapping: Option<&ResponseMapping>,
    content_type: Option<&str>,
    body: &[u8],
) -> Result<ShapedResponse, UnreadableResponse> {
    shape_value(mapping, &read_response(mapping, content_type, body)?)
}

/// Reads the whole response, as the pointers of `result_text` and of a target's `label` and `version` need it.
///
/// JSON is read as its value, and text as a string; a response without a body is null. Without a content
/// type, a body that begins with `{` or `[` is JSON. The error says that the response is too long, neither
/// JSON nor text, not valid, or no JSON although the mapping has `select` or `fields`.
pub fn read_response(
    mapping: Option<&ResponseMapping>,
    content_type: Option<&str>,
    body: &[u8],
) -> Result<Value, UnreadableResponse> {
    let most = max_response_bytes(mapping);
    if body.len() > most {
        return Err(UnreadableResponse(format!("the response has more than {most} bytes")));
    }
    if body.is_empty() {
        return Ok(Value::Null);
    }
    // Some services begin every text with a byte order mark.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let needs_json = mapping.is_some_and(|mapping| {
        mapping.select.is_some() || mapping.fields.as_ref().is_some_and(|fields| !fields.is_empty())
    });
    match response_syntax(content_type, body, needs_json)? {
        ResponseSyntax::Json => read_json(body),
        ResponseSyntax::Text if needs_json => {
            let found = quoted(content_type.unwrap_or_default());
            let message = format!("the response is {found}, and `select` and `fields` need JSON");
            Err(UnreadableResponse(message))
        }
        ResponseSyntax::Text => read_text(body),
    }
}

/// Returns the part of a response that the caller gets. A response that is null, as one without a body is,
/// stays null.
///
/// `select` goes first. Of an object, or of each object of a list, `fields` keeps the named parts: a field
/// that the response does not have is left out, and null stays null. Then lists are cut to `max_items` and
/// texts to `max_text` characters, at every depth. Where `select` finds nothing, the data is the mapping's
/// `default`, or an error says so.
pub fn shape_value(
    mapping: Option<&ResponseMapping>,
    response: &Value,
) -> Result<ShapedResponse, UnreadableResponse> {
    if response.is_null() {
        return Ok(ShapedResponse { data: Value::Null, truncated: false });
    }
    let select = mapping.and_then(|mapping| mapping.select.as_deref()).unwrap_or_default();
    let Some(selected) = response.pointer(select) else {
        let default = mapping.and_then(|mapping| mapping.default.clone());
        return default.map(|data| ShapedResponse { data, truncated: false }).ok_or_else(|| {
            UnreadableResponse(format!("the response has nothing at {}, its `select`", quoted(select)))
        });
    };
    let mut shaper = ResponseShaper::new(mapping);
    let fields = mapping.and_then(|mapping| mapping.fields.as_ref()).filter(|fields| !fields.is_empty());
    let data = match fields {
        Some(fields) => shaper.pick(selected, fields),
        None => shaper.cut(selected),
    };
    Ok(ShapedResponse { data, truncated: shaper.truncated })
}

fn read_json(body: &[u8]) -> Result<Value, UnreadableResponse> {
    if count_values(body) > MAX_RESPONSE_VALUES {
        let message = format!("the response has more than {MAX_RESPONSE_VALUES} values");
        return Err(UnreadableResponse(message));
    }
    serde_json::from_slice(body)
        .map_err(|error| UnreadableResponse(format!("the response is not valid JSON: {error}")))
}

fn read_text(body: &[u8]) -> Result<Value, UnreadableResponse> {
    match std::str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => Ok(Value::String(text.to_owned())),
        _ => Err(UnreadableResponse("the response is not text in UTF-8".to_owned())),
    }
}
