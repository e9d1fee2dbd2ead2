//! Documents about the API: the OpenAPI document, a reference page made from it, and a page for each error
//! code. None of these pages has a script or needs a credential.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{auth::PathParam, problem::ProblemResponse, state::HttpState};

/// `GET /openapi.json`
pub(crate) async fn openapi(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.openapi()
}

/// `GET /docs`
pub(crate) async fn reference(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.reference()
}

/// `GET /docs/errors`
pub(crate) async fn errors(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.errors()
}

/// `GET /docs/errors/{code}`
pub(crate) async fn error(
    State(state): State<Arc<HttpState>>,
    PathParam(code): PathParam,
) -> Result<Response, ProblemResponse> {
    let known = ErrorCode::parse(&code).ok_or_else(|| {
        ActionError::new(ErrorCode::NotFound, "there is no such error code").hint("`/docs/errors` lists them")
    })?;
    Ok(state.pages.error(known))
}
