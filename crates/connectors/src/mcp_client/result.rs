//! Reads the result of a call.

use std::collections::BTreeMap;

use serde_json::{Value, value::RawValue};
use toolcrib_model::{count, visible_lines};

use super::{McpError, message::parse, text};

/// The most bytes of a name, type or address that describes a part of a result.
const LABEL_BYTES: usize = 300;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpResult {
    /// Whether the tool says that it failed.
    pub is_error: bool,
    pub structured: Option<Value>,
    /// The texts of the result, joined by line breaks, with hidden characters made visible. Images, audio, links and
    /// files are named, with their type and size.
    pub text: String,
    /// What the result is, if it can't be shown: `application/json, 4 bytes`.
    pub unreadable: Option<String>,
}

/// Reads a result. One that asks for input is an error, and so is one that only announces a later result. What has
/// neither content nor a structured result is one itself.
pub fn read(result: &RawValue) -> Result<McpResult, McpError> {
    // Each field is parsed for itself, so that one that can't be read does not hide the others.
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(result.get()).unwrap_or_default();
    let field = |name: &str| fields.get(name).and_then(|field| parse(field)).filter(|value| !value.is_null());
    match field("resultType").as_ref().map(Value::as_str) {
        None | Some(Some("complete")) => {}
        Some(Some("input_required")) => return Err(McpError::NeedsInput),
        Some(_) => return Err(McpError::Protocol("it has no result, but announces a later one")),
    }
    let is_error = fields.get("isError").is_some_and(|is_error| is_error.get() == "true");
    let (structured, content) = (field("structuredContent"), field("content"));
    if structured.is_some() || content.is_some() {
        let text = content.as_ref().map(text_of).unwrap_or_default();
        return Ok(McpResult { is_error, structured, text, unreadable: None });
    }
    let shown = McpResult { is_error, ..McpResult::default() };
    Ok(match parse(result) {
        Some(Value::String(text)) => McpResult { text: visible_lines(&text).into_owned(), ..shown },
        None | Some(Value::Null) => {
            let size = result.get().len();
            McpResult { unreadable: Some(format!("application/json, {size} bytes")), ..shown }
        }
        whole => McpResult { structured: whole, ..shown },
    })
}

fn text_of(content: &Value) -> String {
    match content {
        Value::Array(blocks) => blocks.iter().map(block).collect::<Vec<_>>().join("\n"),
        Value::String(text) => visible_lines(text).into_owned(),
        other => block(other),
    }
}

fn block(block: &Value) -> String {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let text = block.get("text").and_then(Value::as_str);
    let nested = block.get("resource").unwrap_or(&Value::Null);
    match (kind, text) {
        ("text", Some(text)) => visible_lines(text).into_owned(),
        ("image" | "audio", _) => {
            format!("[{}]", parts(&[kind, &media_type(block), &encoded_size(block, "data")]))
        }
        ("resource_link", _) => {
            let size = block.get("size").and_then(Value::as_u64).map(bytes).unwrap_or_default();
            format!("[{}]", parts(&["link", &label(block, "uri"), &media_type(block), &size]))
        }
        ("resource", _) => resource(nested),
        _ => format!("[{}]", parts(&["content of an unknown type", &text::cut(kind, LABEL_BYTES)])),
    }
}

/// Shows a file that stands in the result: its text, else its size.
fn resource(resource: &Value) -> String {
    let named = |size: &str| parts(&["file", &label(resource, "uri"), &media_type(resource), size]);
    match resource.get("text").and_then(Value::as_str) {
        Some(text) => format!("[{}]\n{}", named(&bytes(text.len() as u64)), visible_lines(text)),
        None => format!("[{}]", named(&encoded_size(resource, "blob"))),
    }
}

fn parts(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn label(of: &Value, key: &str) -> String {
    text::cut(of.get(key).and_then(Value::as_str).unwrap_or_default(), LABEL_BYTES)
}

fn media_type(of: &Value) -> String {
    label(of, "mimeType")
}

/// The size of data in Base64, without decoding it.
fn encoded_size(of: &Value, key: &str) -> String {
    let text = of.get(key).and_then(Value::as_str).unwrap_or_default();
    bytes(text.trim_end_matches('=').len() as u64 * 3 / 4)
}

fn bytes(number: u64) -> String {
    count(number, "byte")
}
