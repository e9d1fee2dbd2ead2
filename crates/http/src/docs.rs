//! Documents about the API: the OpenAPI document, a reference made from it, guides, and a page for each error code. None of
//! these pages has a script or needs a credential. Also the answer where nothing is.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Uri, header},
    response::{IntoResponse as _, Redirect, Response},
};
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{
    auth::PathParam,
    problem::{ProblemResponse, no_such_path},
    state::HttpState,
};

/// `GET /openapi.json`
pub(crate) async fn openapi(State(state): State<Arc<HttpState>>) -> Response {
    state.pages.openapi()
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

/// Like [`no_such_path`]. A browser gets a page, or is sent to the path without a slash at its end.
pub(crate) async fn no_such_page(
    State(state): State<Arc<HttpState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let accepted = headers.get(header::ACCEPT).map_or(&[][..], HeaderValue::as_bytes);
    if method != Method::GET || !accepted.starts_with(b"text/html") {
        return no_such_path().await.into_response();
    }
    match uri.path().strip_suffix('/') {
        // Two slashes at the beginning would name another host.
        Some(path) if path.len() > 1 && !path.contains("//") && !path.contains('\\') => {
            let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            Redirect::permanent(&format!("{path}{query}")).into_response()
        }
        _ => state.pages.no_such_page(),
    }
}
