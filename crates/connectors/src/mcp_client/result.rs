//! Reads the result of a call.

use serde_json::{Map, Value};
use toolcrib_model::visible_lines;

use super::{McpError, shown};

/// The most bytes of a name, type or address that describes a part of a result.
const LABEL_BYTES: usize = 300;

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct McpResult {
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// The structured result.
    pub structured: Option<Value>,
    /// The texts of the result, joined by line breaks, with hidden characters made visible. Images, audio, links and
    /// files are named, with their type and size.
    pub text: String,
}

/// Reads a result. One that asks for input is an error, and so is one that only announces a later result.
pub fn read(mut result: Map<String, Value>) -> Result<McpResult, McpError> {
    match result.get("resultType").map(Value::as_str) {
        None | Some(Some("complete")) => {}
        Some(Some("input_required")) => return Err(McpError::NeedsInput),
        Some(_) => return Err(McpError::Protocol("it has no result, but announces a later one")),
    }
    let structured = result.remove("structuredContent").filter(|value| !value.is_null());
    let text = match result.get("content") {
        Some(Value::Array(blocks)) => text_of(blocks),
        None | Some(Value::Null) if structured.is_some() => String::new(),
        _ => return Err(McpError::Protocol("its result has no content")),
    };
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    Ok(McpResult { is_error, structured, text })
}

fn text_of(blocks: &[Value]) -> String {
    let texts: Vec<String> = blocks.iter().map(block).collect();
    texts.join("\n")
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
        _ => format!("[{}]", parts(&["content of an unknown type", &shown::cut(kind, LABEL_BYTES)])),
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
    shown::cut(of.get(key).and_then(Value::as_str).unwrap_or_default(), LABEL_BYTES)
}

fn media_type(of: &Value) -> String {
    label(of, "mimeType")
}

/// The size of data in Base64, without decoding it.
fn encoded_size(of: &Value, key: &str) -> String {
    let text = of.get(key).and_then(Value::as_str).unwrap_or_default();
    bytes(text.trim_end_matches('=').len() as u64 * 3 / 4)
}

fn bytes(count: u64) -> String {
    format!("{count} bytes")
}
