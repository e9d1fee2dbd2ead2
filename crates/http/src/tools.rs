//! The routes `/v1/tools`: tool lists, the catalogue for a system prompt, and search.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_auth::Authenticated;
use toolcrib_engine::lists::ListRequest;

use crate::{auth::Auth, body, problem::ProblemResponse, response, state::HttpState, tool_lists::ListBody};

pub(crate) mod etag;
mod prompt;
mod search;

pub(crate) use prompt::prompt;
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
    Ok(etag::answer(conditional, tag, &limit, || response::json_bytes(StatusCode::OK, body.clone())))
}
