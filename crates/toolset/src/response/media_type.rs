//! How the body of a response is read.

use crate::grammar::is_media_type;

/// How the body of a response is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseSyntax {
    Json,
    /// As text in UTF-8.
    Text,
    /// As JSON, if it is an object or a list.
    Other,
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
/// The most characters of a media type that is shown.
const SHOWN_CHARACTERS: usize = 100;

/// Returns how a body is read. Without a content type, a body that begins with `{` or `[` is JSON.
pub fn response_syntax(content_type: Option<&str>, body: &[u8]) -> ResponseSyntax {
    let media_type = media_type(content_type);
    if media_type.is_empty() {
        return if is_composite(body) { ResponseSyntax::Json } else { ResponseSyntax::Text };
    }
    let suffix = media_type.rsplit_once('+').map(|(_, suffix)| suffix);
    match media_type.as_str() {
        "application/json" | "text/json" => ResponseSyntax::Json,
        _ if suffix == Some("json") => ResponseSyntax::Json,
        other if other.starts_with("text/") || TEXT_TYPES.contains(&other) => ResponseSyntax::Text,
        _ if matches!(suffix, Some("xml" | "yaml")) => ResponseSyntax::Text,
        _ => ResponseSyntax::Other,
    }
}

/// Returns whether a body begins like an object or a list of JSON.
pub fn is_composite(body: &[u8]) -> bool {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// Says what a response is that can't be shown, such as `application/pdf, 9 bytes`.
pub fn unreadable(content_type: Option<&str>, size: &str) -> String {
    let media_type = media_type(content_type);
    let is_shown = media_type.len() <= SHOWN_CHARACTERS && is_media_type(&media_type);
    if is_shown { format!("{media_type}, {size}") } else { size.to_owned() }
}

fn media_type(content_type: Option<&str>) -> String {
    let written = content_type.unwrap_or_default();
    written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
