//! Documents about the API: the OpenAPI document, a reference page made from it, and a page for each error code. None of
//! these pages has scripts or asks anybody for anything.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{auth::PathParam, problem::ProblemResponse, response, state::HttpState};

mod page;

/// What is written once.
pub(crate) struct Pages {
    reference: Bytes,
    errors: Bytes,
    /// It allows the one style sheet that the pages carry, and nothing else.
    policy: Option<HeaderValue>,
}

impl Pages {
    pub fn new(document: &Value) -> Self {
        let style = STANDARD.encode(Sha256::digest(page::STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self {
            reference: page::reference(document).into(),
            errors: page::errors().into(),
            policy: HeaderValue::from_str(&policy).ok(),
        }
    }

    fn html(&self, body: Bytes) -> Response {
        let mut response = response::typed(StatusCode::OK, "text/html; charset=utf-8", body);
        if let Some(policy) = &self.policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        }
        response
    }
}

/// `GET /openapi.json`
pub(crate) async fn openapi(State(state): State<Arc<HttpState>>) -> Response {
    response::typed(StatusCode::OK, "application/json", state.openapi.clone())
}

/// `GET /docs`
pub(crate) async fn reference(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.html(state.pages.reference.clone())
}

/// `GET /docs/errors`
pub(crate) async fn errors(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.html(state.pages.errors.clone())
}

/// `GET /docs/errors/{code}`
pub(crate) async fn error(
    State(state): State<Arc<HttpState>>,
    PathParam(code): PathParam,
) -> Result<Response, ProblemResponse> {
    let known = ErrorCode::parse(&code).ok_or_else(|| {
        ActionError::new(ErrorCode::NotFound, "there is no such error code").hint("`/docs/errors` lists them")
    })?;
    Ok(state.pages.html(page::error(known).into()))
}
