//! What a caller may run as whole documents: the catalogue for a system prompt, and OpenAPI.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use serde_json::Value;
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, prompt as write};

use super::{cache::tag_of, tagged};
use crate::{fault::Fault, query, reply, signed::Signed, state::Shared};

/// `GET /v1/tools/prompt`
pub(crate) async fn prompt(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Fault> {
    let asked = shared.frames.prompt.query(&uri)?;
    let (caller, policy, limit) = shared.engine().admit_list(&authenticated).await?;
    let tools = CallerTools::new(shared.catalog(), &caller, &policy);
    let allowed = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        allowed.into_iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let text = write(&direct, &behind, asked.include_promoted);
    let tag = tag_of(text.as_bytes());
    let whole = || reply::typed(StatusCode::OK, "text/markdown; charset=utf-8", text);
    Ok(tagged::answer(Some(&headers), &tag, &limit, whole))
}

/// `GET /v1/tools/openapi`
pub(crate) async fn openapi(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Fault> {
    query::none(&uri)?;
    let (caller, policy, limit) = shared.engine().admit_list(&authenticated).await?;
    let tools = CallerTools::new(shared.catalog(), &caller, &policy);
    let body = openapi_view(&shared.document, &tools).to_string();
    let tag = tag_of(body.as_bytes());
    let whole = || reply::json_bytes(StatusCode::OK, body.into_bytes());
    Ok(tagged::answer(Some(&headers), &tag, &limit, whole))
}

/// What the OpenAPI document says of the actions that these tools' caller may run.
pub fn openapi_view(document: &Value, tools: &CallerTools<'_>) -> Value {
    crate::openapi::part(document, tools.allowed().into_iter().map(|meta| meta.spec.name))
}
