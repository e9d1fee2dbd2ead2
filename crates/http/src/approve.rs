//! `GET /approve/{id}`: where a person decides a confirmation, if no application shows it to them.
//!
//! One static page, the same for every id: nothing of a confirmation is written into it. Its script, which the page's
//! policy names by its hash, asks the API with the token that the person types in, keeps that in memory only, and shows
//! what comes back as text.

use std::sync::Arc;

use axum::{extract::State, response::Response};

use crate::state::HttpState;

/// `GET /approve/{id}`
pub(crate) async fn page(State(state): State<Arc<HttpState>>) -> Response {
    state.approve_page.response()
}
