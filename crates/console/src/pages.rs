//! The HTML pages. They are the same bytes for everybody.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types lit-html";

/// A page with its tag.
pub struct HtmlPage {
    html: Bytes,
    tag: HeaderValue,
}

impl HtmlPage {
    pub fn new(html: String) -> Self {
        let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&html)[..12]));
        let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { html: html.into(), tag }
    }

    /// Returns the response, without a body if the client has the page.
    pub fn response(&self, asked: &HeaderMap) -> Response {
        let known = asked.get_all(header::IF_NONE_MATCH).iter().any(|tag| tag == self.tag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            (StatusCode::OK, self.html.clone()).into_response()
        };
        let headers = response.headers_mut();
        let set: [(HeaderName, &str); 3] = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
        ];
        for (name, value) in set {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::ETAG, self.tag.clone());
        response
    }
}
