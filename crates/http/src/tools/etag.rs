//! `ETag` and 304: a response that the client has already is not sent again.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use toolcrib_engine::limits::LimitState;

use crate::response;

/// Returns the response with its `ETag` and the headers of the lists' rate limit. 304 if `If-None-Match`
/// names the tag.
pub(crate) fn answer(
    held: Option<&HeaderMap>,
    tag: &HeaderValue,
    limit: &LimitState,
    whole: impl FnOnce() -> Response,
) -> Response {
    let mut response = if held.is_some_and(|headers| known(headers, tag)) { unchanged() } else { whole() };
    mark(response.headers_mut(), tag.clone());
    response::limits(response.headers_mut(), limit);
    response
}

/// Whether `If-None-Match` names the tag.
fn known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|held| held == "*" || held.strip_prefix("W/").unwrap_or(held).as_bytes() == tag.as_bytes())
}

/// 304, without a body.
fn unchanged() -> Response {
    StatusCode::NOT_MODIFIED.into_response()
}

/// Sets `ETag`, `Cache-Control` and `Vary`.
fn mark(headers: &mut HeaderMap, tag: HeaderValue) {
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let vary = HeaderValue::from_static(
        "Authorization, X-Workspace-Id, X-On-Behalf-Of, X-Caller-Type, X-Mission-Id",
    );
    headers.insert(header::VARY, vary);
}
