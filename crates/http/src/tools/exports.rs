//! What a caller may run as whole documents: the catalogue for a system prompt, and OpenAPI.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use serde_json::Value;
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, prompt as write};

use super::{cache::tag_of, etag};
use crate::{auth::Auth, problem::ProblemResponse, query, response, state::HttpState};

/// `GET /v1/tools/prompt`
pub(crate) async fn prompt(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.prompt.query(&uri)?;
    let (caller, policy, limit) = state.engine().admit_list(&authenticated).await?;
    let tools = CallerTools::new(state.catalog(), &caller, &policy);
    let allowed = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        allowed.into_iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let text = write(&direct, &behind, asked.include_promoted);
    let tag = tag_of(text.as_bytes());
    let whole = || response::typed(StatusCode::OK, "text/markdown; charset=utf-8", text);
    Ok(etag::answer(Some(&headers), &tag, &limit, whole))
}

/// `GET /v1/tools/openapi`
pub(crate) async fn openapi(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    query::none(&uri)?;
    let (caller, policy, limit) = state.engine().admit_list(&authenticated).await?;
    let tools = CallerTools::new(state.catalog(), &caller, &policy);
    let body = openapi_view(&state.document, &tools).to_string();
    let tag = tag_of(body.as_bytes());
    let whole = || response::json_bytes(StatusCode::OK, body.into_bytes());
    Ok(etag::answer(Some(&headers), &tag, &limit, whole))
}

/// What the OpenAPI document says of the actions that these tools' caller may run.
pub fn openapi_view(document: &Value, tools: &CallerTools<'_>) -> Value {
    crate::openapi::part(document, tools.allowed().into_iter().map(|meta| meta.spec.name))
}
