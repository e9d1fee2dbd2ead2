//! Documents about the API: the OpenAPI document, a reference made from it, guides, and a page for each error code.
//! None of these pages has a script or needs a credential. The OpenAPI document of a caller needs one.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{
    auth::{Auth, PathParam},
    openapi::openapi_view,
    problem::ProblemResponse,
    query, response,
    state::HttpState,
    tool_lists::{tag_of, tagged},
};

/// `GET /openapi.json`
pub(crate) async fn openapi(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.openapi()
}

/// `GET /v1/tools/openapi`: the actions of a caller as an OpenAPI document.
pub(crate) async fn tools(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    query::none(&uri)?;
    let (admitted, limit) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let body = openapi_view(&admitted.tools()).to_string();
    let tag = tag_of(body.as_bytes());
    let whole = || response::json_bytes(StatusCode::OK, body.into_bytes());
    Ok(tagged(Some(&headers), &tag, &limit, whole))
}

/// `GET /docs`: the list of operations, or with `q` a search.
pub(crate) async fn reference(
    State(state): State<Arc<HttpState>>,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.reference.query(&uri)?;
    Ok(match asked.q.as_deref().map(str::trim) {
        None | Some("") => state.pages.index(),
        Some(query) => state.pages.search(query),
    })
}

/// `GET /docs/operations/{operation}`
pub(crate) async fn operation(
    State(state): State<Arc<HttpState>>,
    PathParam(operation): PathParam,
) -> Result<Response, ProblemResponse> {
    Ok(state.pages.operation(&operation).ok_or_else(|| missing("operation", "/docs"))?)
}

/// `GET /docs/guides/{guide}`
pub(crate) async fn guide(
    State(state): State<Arc<HttpState>>,
    PathParam(guide): PathParam,
) -> Result<Response, ProblemResponse> {
    Ok(state.pages.guide(&guide).ok_or_else(|| missing("guide", "/docs"))?)
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
    let known = ErrorCode::parse(&code).ok_or_else(|| missing("error code", "/docs/errors"))?;
    Ok(state.pages.error(known))
}

fn missing(what: &str, list: &str) -> ActionError {
    ActionError::new(ErrorCode::NotFound, format!("there is no such {what}"))
        .hint(format!("`{list}` lists them"))
}
