//! The actions of a caller as text for a system prompt.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_registry::{ActionMeta, prompt as write};

use super::etag;
use crate::{auth::Auth, problem::ProblemResponse, response, state::HttpState, tool_lists::tag_of};

/// `GET /v1/tools/prompt`
pub(crate) async fn prompt(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.prompt.query(&uri)?;
    let (admitted, limit) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let tools = admitted.tools();
    let allowed = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        allowed.into_iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let text = write(&direct, &behind, asked.include_promoted);
    let tag = tag_of(text.as_bytes());
    let whole = || response::typed(StatusCode::OK, "text/markdown; charset=utf-8", text);
    Ok(etag::answer(Some(&headers), &tag, &limit, whole))
}
