//! What a model sees: tool lists, the catalogue for a system prompt, search.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_engine::{ActionError, Authenticated, CallerTools};

use crate::{auth::Auth, body, problem::ProblemResponse, query, response, state::HttpState};

mod cache;
mod etag;
mod exports;
mod list;
mod request;
mod search;
mod selection;
mod token_budget;

pub(crate) use cache::ListCache;
pub use exports::openapi_view;
pub(crate) use exports::{openapi, prompt};
pub(crate) use list::ToolList;
pub(crate) use request::{ListRequest, PromptQuery, SearchRequest, Strategy};
pub(crate) use search::{Found, search};
pub(crate) use selection::choose as chosen;

/// The list that a caller gets, asked for with the fields of `POST /v1/tools`. For whoever wants to see it without
/// serving.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = crate::schema_for::SchemaFor::default().read(asked)?;
    let choice = selection::choose(tools, &asked);
    let (drawn, left_out) = token_budget::fit(tools.catalog, &choice)?;
    let list = list::list(tools.catalog, &choice, drawn, &left_out);
    serde_json::to_value(list).map_err(|fault| ActionError::internal(fault.to_string()))
}

/// `GET /v1/tools`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.list_query.query(&uri)?;
    answer(&state, &authenticated, &asked, Some(&headers)).await
}

/// `POST /v1/tools`
pub(crate) async fn post(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    request: Request,
) -> Result<Response, ProblemResponse> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    let asked = state.schemas.list.read(body::object(&head.headers, body, body::USUAL).await?)?;
    answer(&state, &authenticated, &asked, None).await
}

async fn answer(
    state: &Arc<HttpState>,
    authenticated: &Authenticated,
    asked: &ListRequest,
    conditional: Option<&HeaderMap>,
) -> Result<Response, ProblemResponse> {
    let (caller, policy, limit) = state.engine().admit_list(authenticated).await?;
    let tools = CallerTools::new(state.catalog(), &caller, &policy);
    let chosen = selection::choose(&tools, asked);
    let rendered = state.lists.get(state.catalog(), chosen)?;
    let whole = || response::json_bytes(StatusCode::OK, rendered.body.to_vec());
    Ok(etag::answer(conditional, &rendered.tag, &limit, whole))
}
