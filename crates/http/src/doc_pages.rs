//! The OpenAPI document as text, and the pages that are rendered from it. They have no scripts.

use axum::{
    http::{HeaderValue, StatusCode},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toolcrib_model::ErrorCode;

use crate::response;

mod page;

/// The text of the OpenAPI document and the rendered pages.
pub(crate) struct Pages {
    openapi: Bytes,
    reference: Bytes,
    errors: Bytes,
    /// `Content-Security-Policy` of the pages. It allows their style sheet and nothing else.
    policy: Option<HeaderValue>,
}

impl Pages {
    pub fn new(document: &Value) -> Self {
        let style = STANDARD.encode(Sha256::digest(page::STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self {
            openapi: document.to_string().into(),
            reference: page::reference(document).into(),
            errors: page::errors().into(),
            policy: HeaderValue::from_str(&policy).ok(),
        }
    }

    /// Returns the OpenAPI document.
    pub fn openapi(&self) -> Response {
        response::typed(StatusCode::OK, "application/json", self.openapi.clone())
    }

    /// Returns the reference of all operations.
    pub fn reference(&self) -> Response {
        self.html(self.reference.clone())
    }

    /// Returns the list of error codes.
    pub fn errors(&self) -> Response {
        self.html(self.errors.clone())
    }

    /// Returns the description of one error code.
    pub fn error(&self, code: ErrorCode) -> Response {
        self.html(page::error(code).into())
    }

    /// Returns the page for an address where nothing is, with status 404.
    pub fn no_such_page(&self) -> Response {
        let mut response = self.html(page::no_such_page().into());
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }

    fn html(&self, body: Bytes) -> Response {
        response::html(body, self.policy.as_ref())
    }
}
