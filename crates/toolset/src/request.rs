//! Builds the request of a call from its mapping and arguments. Sends nothing.

mod arguments;
mod body;
mod form;
mod headers;
mod path;

use std::fmt;

use serde_json::Value;
use url::Url;

use crate::{
    document::{HttpMapping, HttpMethod, TargetMapping},
    limits::MAX_URL_BYTES,
    request::arguments::RequestArguments,
};

/// The request of a call, without credential, idempotency header and the headers that every request has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamRequest {
    pub method: HttpMethod,
    /// Address of the request. It has the origin of the upstream and stays below its base URL.
    pub url: Url,
    /// The headers of the mapping, in the order of their names. Values are visible ASCII and spaces.
    pub headers: Vec<(String, String)>,
    pub body: Option<RequestBody>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct RequestBody {
    /// `application/x-www-form-urlencoded`, the mapping's media type, or `application/json`.
    pub content_type: String,
    /// The encoded body.
    pub bytes: Vec<u8>,
}

// Sensitive parameters may stand in a body, so its bytes are in no log.
impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestBody({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

/// Why an argument can't stand in the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct RequestDefect {
    /// JSON pointer to the argument, such as `/id`. Empty if no single argument is to blame.
    pub pointer: String,
    /// What is wrong and how to correct it. Does not contain the argument.
    pub message: String,
}

impl RequestDefect {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }

    /// A mapping that no check would accept. It is refused rather than guessed at.
    fn mapping(message: &str) -> Self {
        Self::new(
            "",
            format!("the document of this tool has a defect: {message}; ask an admin to correct it"),
        )
    }
}

/// Builds the request of a tool.
///
/// A text that is only `{x}` takes the parameter with its type; in other texts the value is joined in. In
/// query, headers and body a parameter without a value leaves its key or item out, and so does a null, except
/// where it is the whole of a JSON value. The error names the argument that can't stand where the mapping
/// puts it.
pub fn build_request(
    mapping: &HttpMapping,
    base_url: &Url,
    arguments: &Value,
) -> Result<UpstreamRequest, RequestDefect> {
    let method = mapping.method.ok_or_else(|| RequestDefect::mapping("it has no method"))?;
    let mut arguments = RequestArguments::new(arguments);
    let path = mapping.path.as_deref().unwrap_or_default();
    let mut url = path::build_url(path, base_url, &mut arguments)?;
    let pairs = form::pairs(mapping.query.iter().flatten(), &mut arguments)?;
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    check_length(&url)?;
    let headers = headers::build_headers(mapping.headers.as_ref(), &mut arguments)?;
    let body = match &mapping.body {
        Some(body) if method.has_body() => body::build_body(body, mapping, &mut arguments)?,
        _ => None,
    };
    Ok(UpstreamRequest { method, url, headers, body })
}

/// Builds the request that reads the target of a call: `GET` of its path.
pub fn build_target_request(
    target: &TargetMapping,
    base_url: &Url,
    arguments: &Value,
) -> Result<UpstreamRequest, RequestDefect> {
    let path = target.path.as_deref().ok_or_else(|| RequestDefect::mapping("its target has no path"))?;
    let url = path::build_url(path, base_url, &mut RequestArguments::new(arguments))?;
    check_length(&url)?;
    Ok(UpstreamRequest { method: HttpMethod::Get, url, headers: Vec::new(), body: None })
}

fn check_length(url: &Url) -> Result<(), RequestDefect> {
    if url.as_str().len() <= MAX_URL_BYTES {
        return Ok(());
    }
    let message = format!(
        "the arguments make a URL of {} bytes; at most {MAX_URL_BYTES} are possible, so shorten them",
        url.as_str().len()
    );
    Err(RequestDefect::new("", message))
}
