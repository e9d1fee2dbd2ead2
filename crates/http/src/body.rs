//! Reads request bodies: JSON with a size limit.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderMap, header},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;
use toolcrib_engine::{ActionError, compute_large};
use toolcrib_model::{ErrorCode, parse_strict};

use crate::{problem::malformed, query, unread_body::is_late};

/// The maximum size of a body, in bytes.
pub(crate) const USUAL: usize = 1024 * 1024;
/// The maximum size of a body with a document or with outcomes, in bytes.
pub(crate) const LARGE: usize = 8 * 1024 * 1024;

/// Reads the body. Returns no bytes if there is no body.
pub(crate) async fn bytes(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ActionError> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit as u64) {
        return Err(too_large(limit));
    }
    if !body.is_end_stream() && headers.contains_key(header::CONTENT_TYPE) && !is_json(headers) {
        return Err(wrong_type());
    }
    let bytes = match Limited::new(body, limit).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return Err(too_large(limit)),
        Err(error) if is_late(error.as_ref()) => return Err(malformed("the body did not arrive in time")),
        Err(_) => return Err(malformed("the body ended too early")),
    };
    if !bytes.is_empty() && !is_json(headers) {
        return Err(wrong_type());
    }
    Ok(bytes)
}

/// Reads the body as one JSON object with the strict parser. Returns an empty object if there is no body. 400
/// if the body is not an object.
pub(crate) async fn object(headers: &HeaderMap, body: Body, limit: usize) -> Result<Value, ActionError> {
    let bytes = bytes(headers, body, limit).await?;
    let value =
        compute_large(bytes.len(), || parse_strict(&bytes)).map_err(|error| malformed(error.to_string()))?;
    if value.is_object() { Ok(value) } else { Err(malformed("the body must be a JSON object")) }
}

/// Reads the body of a request without query parameters, as [`object`] does.
pub(crate) async fn of_request(request: Request, limit: usize) -> Result<Value, ActionError> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    object(&head.headers, body, limit).await
}

/// Refuses a body on a path whose parameters are in the query. An empty body and `{}` are accepted. `names`
/// returns the query parameters for the hint.
pub(crate) async fn none(
    headers: &HeaderMap,
    body: Body,
    names: impl FnOnce() -> Vec<String>,
) -> Result<(), ActionError> {
    if body.is_end_stream() {
        return Ok(());
    }
    let bytes = bytes(headers, body, USUAL).await?;
    if matches!(bytes.trim_ascii(), b"" | b"{}") {
        return Ok(());
    }
    let hint = match names().as_slice() {
        [] => "omit the body".to_owned(),
        names => format!("omit the body and put the parameters in the query: `{}`", names.join("`, `")),
    };
    Err(malformed("a request to this path has no body").hint(hint))
}

/// Whether the content type is `application/json` in UTF-8 and the content is not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let plain = headers.get(header::CONTENT_ENCODING).is_none_or(|packing| packing == "identity");
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let json = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("application/json"));
    let utf8 = parts.all(|parameter| match parameter.split_once('=') {
        Some((key, value)) if key.eq_ignore_ascii_case("charset") => {
            value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    });
    plain && json && utf8
}

fn too_large(limit: usize) -> ActionError {
    let detail = format!("the body is larger than {limit} bytes");
    ActionError::new(ErrorCode::PayloadTooLarge, detail).hint("send less in one request")
}

fn wrong_type() -> ActionError {
    ActionError::new(ErrorCode::UnsupportedMediaType, "the body must be plain JSON in UTF-8")
        .hint("send `Content-Type: application/json` and no `Content-Encoding`")
}
