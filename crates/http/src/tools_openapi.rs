//! The actions of a caller as an OpenAPI document.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use serde_json::Value;
use toolcrib_engine::CallerTools;

use crate::{
    auth::Auth, openapi::part, problem::ProblemResponse, query, response, state::HttpState,
    tool_lists::tag_of, tools::etag,
};

/// `GET /v1/tools/openapi`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    query::none(&uri)?;
    let (admitted, limit) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let tools = admitted.tools();
    let body = openapi_view(&tools).to_string();
    let tag = tag_of(body.as_bytes());
    let whole = || response::json_bytes(StatusCode::OK, body.into_bytes());
    Ok(etag::answer(Some(&headers), &tag, &limit, whole))
}

/// Returns the part of the OpenAPI document with the actions that the caller may run.
pub fn openapi_view(tools: &CallerTools<'_>) -> Value {
    part(tools.allowed().into_iter().map(|meta| &**meta))
}
