//! What a model sees: tool lists, the catalogue for a system prompt, search.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_engine::{ActionError, Authenticated, CallerTools};

use crate::{body, fault::Fault, query, reply, signed::Signed, state::Shared};

mod cache;
mod choose;
mod documents;
mod fit;
mod list;
mod request;
mod search;
mod tagged;

pub(crate) use cache::ListCache;
pub(crate) use choose::choose as chosen;
pub use documents::openapi_view;
pub(crate) use documents::{openapi, prompt};
pub(crate) use list::ToolList;
pub(crate) use request::{ListRequest, PromptQuery, SearchRequest, Strategy};
pub(crate) use search::{Found, search};

/// The list that a caller gets, asked for with the fields of `POST /v1/tools`. For whoever wants to see it without
/// serving.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = crate::frame::Frame::default().read(asked)?;
    let choice = choose::choose(tools, &asked);
    let (drawn, left_out) = fit::fit(tools.catalog, &choice)?;
    let list = list::list(tools.catalog, &choice, drawn, &left_out);
    serde_json::to_value(list).map_err(|fault| ActionError::internal(fault.to_string()))
}

/// `GET /v1/tools`
pub(crate) async fn get(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Fault> {
    let asked = shared.frames.list_query.query(&uri)?;
    answer(&shared, &authenticated, &asked, Some(&headers)).await
}

/// `POST /v1/tools`
pub(crate) async fn post(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    request: Request,
) -> Result<Response, Fault> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    let asked = shared.frames.list.read(body::object(&head.headers, body, body::USUAL).await?)?;
    answer(&shared, &authenticated, &asked, None).await
}

async fn answer(
    shared: &Shared,
    authenticated: &Authenticated,
    asked: &ListRequest,
    conditional: Option<&HeaderMap>,
) -> Result<Response, Fault> {
    let (caller, policy, limit) = shared.engine().admit_list(authenticated).await?;
    let tools = CallerTools::new(shared.catalog(), &caller, &policy);
    let chosen = choose::choose(&tools, asked);
    let rendered = shared.lists.get(shared.catalog(), chosen)?;
    let whole = || reply::json_bytes(StatusCode::OK, rendered.body.to_vec());
    Ok(tagged::answer(conditional, &rendered.tag, &limit, whole))
}
