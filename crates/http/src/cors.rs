//! Cross-origin requests: of pages that embed the approvals element, and of clients in browsers of mounted routes.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowHeaders, CorsLayer};

/// How long a browser may keep the answer of a preflight.
const PREFLIGHT_AGE: Duration = Duration::from_mins(10);
/// Headers of responses that the element reads.
const READ: [HeaderName; 4] =
    [header::DATE, header::RETRY_AFTER, header::WWW_AUTHENTICATE, HeaderName::from_static("x-request-id")];
/// Headers of requests that the element sets. A browser adds no cookie: credentials are not allowed.
const SET: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-workspace-id"),
];
/// Headers by which a browser decides who may read a response. Error documents keep them.
pub(crate) const KEPT: [HeaderName; 3] =
    [header::ACCESS_CONTROL_ALLOW_ORIGIN, header::ACCESS_CONTROL_EXPOSE_HEADERS, header::VARY];

/// Returns the layer that lets pages of these origins read responses.
pub(crate) fn layer(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(SET)
        .expose_headers(READ)
        .max_age(PREFLIGHT_AGE)
}

/// Returns the layer that lets clients in pages of these origins use mounted routes. Each protocol has headers of its
/// own, and a browser adds no cookie, so any header may be set.
pub(crate) fn mounted_layer(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(READ)
        .max_age(PREFLIGHT_AGE)
}
