//! How the body of a response is read.

use super::UnreadableResponse;
use crate::defect::quoted;

/// How the body of a response is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseSyntax {
    /// As JSON.
    Json,
    /// As text in UTF-8.
    Text,
}

/// Types beside `text/…` that are text.
const TEXT_TYPES: [&str; 12] = [
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/javascript",
    "application/x-javascript",
    "application/x-ndjson",
    "application/jsonl",
    "application/json-seq",
    "application/sql",
    "application/graphql",
    "application/x-www-form-urlencoded",
];

/// Returns how a body is read. The error says that its type is neither JSON nor text.
pub fn response_syntax(
    content_type: Option<&str>,
    body: &[u8],
    needs_json: bool,
) -> Result<ResponseSyntax, UnreadableResponse> {
    let written = content_type.unwrap_or_default();
    let essence = written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence.is_empty() {
        let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
        let is_json = needs_json || matches!(first, Some(b'{' | b'['));
        return Ok(if is_json { ResponseSyntax::Json } else { ResponseSyntax::Text });
    }
    let suffix = essence.rsplit_once('+').map(|(_, suffix)| suffix);
    match essence.as_str() {
        "application/json" | "text/json" => Ok(ResponseSyntax::Json),
        _ if suffix == Some("json") => Ok(ResponseSyntax::Json),
        other if other.starts_with("text/") || TEXT_TYPES.contains(&other) => Ok(ResponseSyntax::Text),
        _ if matches!(suffix, Some("xml" | "yaml")) => Ok(ResponseSyntax::Text),
        _ => {
            let message = format!("the response is {}, which is neither JSON nor text", quoted(written));
            Err(UnreadableResponse(message))
        }
    }
}
