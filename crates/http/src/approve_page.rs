//! The static page on which a person decides a confirmation. It is the same for every ID.

use axum::{http::HeaderValue, response::Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::response;

const HTML: &str = include_str!("approve_page/page.html");
const SCRIPT: &str = include_str!("approve_page/page.js");
const STYLE: &str = include_str!("approve_page/page.css");

/// The page, rendered once, and its `Content-Security-Policy`.
pub(crate) struct ApprovePage {
    body: Bytes,
    policy: Option<HeaderValue>,
}

impl Default for ApprovePage {
    fn default() -> Self {
        let body = HTML.replace("/*style*/", STYLE).replace("/*script*/", SCRIPT);
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            hash(SCRIPT),
            hash(STYLE)
        );
        Self { body: body.into(), policy: HeaderValue::from_str(&policy).ok() }
    }
}

impl ApprovePage {
    /// Returns the page with its content security policy.
    pub fn response(&self) -> Response {
        response::html(self.body.clone(), self.policy.as_ref())
    }
}
