//! `GET /approve/{id}`: the page on which a person decides a confirmation if no application shows it to them.
//!
//! The page is static, the same for every ID, and contains no data of a confirmation. The page's content
//! security policy allows its script by hash. The script calls the API with the token that the person enters,
//! keeps the token in memory only, and shows the responses as text.

use std::sync::Arc;

use axum::{extract::State, response::Response};

use crate::state::HttpState;

/// `GET /approve/{id}`
pub(crate) async fn page(State(state): State<Arc<HttpState>>) -> Response {
    state.approve_page.response()
}
