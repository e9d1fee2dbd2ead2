//! The routes `/v1/tools`: tool lists, the catalogue for a system prompt, and search.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_auth::Authenticated;
use toolcrib_engine::lists::ListRequest;
use toolcrib_registry::{ActionMeta, prompt as write};

use crate::{
    auth::Auth,
    body,
    problem::ProblemResponse,
    response,
    state::HttpState,
    tool_lists::{ListBody, tag_of, tagged},
};

mod search;

pub(crate) use search::{ToolSearchResult, search};

/// `GET /v1/tools`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.list_query.query(&uri)?;
    answer(&state, &authenticated, &asked.into(), Some(&headers)).await
}

/// `POST /v1/tools`
pub(crate) async fn post(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.list.read(body::of_request(request, body::USUAL).await?)?;
    answer(&state, &authenticated, &asked, None).await
}

async fn answer(
    state: &Arc<HttpState>,
    authenticated: &Authenticated,
    asked: &ListRequest,
    conditional: Option<&HeaderMap>,
) -> Result<Response, ProblemResponse> {
    let (admitted, limit) = state.engine().admit_list(authenticated, authenticated.surface()).await?;
    let asked = state.engine().mask_list(admitted.caller.workspace, asked).await?;
    let tools = admitted.tools();
    let cached = state.lists.get(&tools, &asked, ListBody::of)?;
    let ListBody { body, tag } = &cached.list;
    Ok(tagged(conditional, tag, &limit, || response::json_bytes(StatusCode::OK, body.clone())))
}

/// `GET /v1/tools/prompt`: the actions of a caller as text for a system prompt.
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
    Ok(tagged(Some(&headers), &tag, &limit, whole))
}
