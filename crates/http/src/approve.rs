//! `GET /approve/{id}`: where a person decides a confirmation, if no application shows it to them.
//!
//! One static page, the same for every id: nothing of a confirmation is written into it. Its script, which the page's
//! policy names by its hash, asks the API with the token that the person types in, keeps that in memory only, and shows
//! what comes back as text.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::{response, state::HttpState};

const HTML: &str = include_str!("approve/page.html");
const SCRIPT: &str = include_str!("approve/page.js");
const STYLE: &str = include_str!("approve/page.css");

/// The page, written once, and what its browser may do.
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

/// `GET /approve/{id}`
pub(crate) async fn page(State(state): State<Arc<HttpState>>) -> Response {
    let page = &state.approve_page;
    let mut response = response::typed(StatusCode::OK, "text/html; charset=utf-8", page.body.clone());
    if let Some(policy) = &page.policy {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    }
    response
}
