//! `ETag` and `304`: what a client holds already is not sent again.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use toolcrib_engine::limits::LimitState;

use crate::response;

/// The answer for whoever does not hold it already, with its tag and what is left of the lists' limit.
pub(crate) fn answer(
    held: Option<&HeaderMap>,
    tag: &str,
    limit: &LimitState,
    whole: impl FnOnce() -> Response,
) -> Response {
    let mut response = if held.is_some_and(|headers| known(headers, tag)) { unchanged() } else { whole() };
    mark(response.headers_mut(), tag);
    response::limits(response.headers_mut(), limit);
    response
}

/// Whether `If-None-Match` names the tag.
fn known(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|held| held == "*" || held.strip_prefix("W/").unwrap_or(held) == tag)
}

/// 304, without a body.
fn unchanged() -> Response {
    StatusCode::NOT_MODIFIED.into_response()
}

/// The tag, and for whom the answer may be kept.
fn mark(headers: &mut HeaderMap, tag: &str) {
    if let Ok(value) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, value);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let vary = HeaderValue::from_static("Authorization, X-Workspace-Id, X-Caller-Type");
    headers.insert(header::VARY, vary);
}
