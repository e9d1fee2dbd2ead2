//! The routes `/v1/calls`: list, get, claim, report and revoke calls that run outside of this service.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, Uri},
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_engine::{ActionError, OpenCallView};
use toolcrib_model::Id;
use toolcrib_registry::{ActionRegistry, Answer, render_messages};

use crate::{
    auth::{Auth, PathParam},
    body,
    problem::ProblemResponse,
    query,
    request_meta::RequestMeta,
    response,
    state::HttpState,
    tool_result,
};

mod outcomes;

pub(crate) use outcomes::{OutcomesAnswer, outcomes};

/// The JSON representation of a call.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpenCallResponse<'v> {
    #[serde(flatten)]
    view: &'v OpenCallView,
    /// The final tool result in the provider's shape. It replaces the result that said that the application runs the call.
    /// Absent until the call has ended, or if no model made it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Value>,
}

impl<'v> OpenCallResponse<'v> {
    pub fn of(registry: &ActionRegistry, view: &'v OpenCallView) -> Self {
        let messages = view.tool_format.zip(answer(registry, view));
        let messages = messages.map(|(format, answer)| render_messages(format, &[answer]));
        Self { view, messages: messages.unwrap_or_default() }
    }
}

/// Returns the final tool result of a call. `None` until the call has ended, or if no model made it.
fn answer(registry: &ActionRegistry, view: &OpenCallView) -> Option<Answer> {
    let id = view.tool_call_id.as_deref()?;
    Some(tool_result::answer(registry, &view.outcome()?, id, &view.action))
}

/// `GET /v1/calls`
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let filter = state.schemas.open_calls.query(&uri)?;
    let page = state.engine().open_calls(&authenticated, &filter).await?;
    Ok(response::json(StatusCode::OK, &page))
}

/// `GET /v1/calls/{id}`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(id): PathParam,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.open_call.query(&uri)?;
    let id = read(&id)?;
    let read = || state.engine().open_call(&authenticated, id);
    let waiter = state.waiter(&authenticated, asked.wait.unwrap_or(0));
    let view = waiter.poll(read, |view| !view.state.is_open()).await?;
    Ok(shown(&state, &view))
}

/// `POST /v1/calls/{id}/claim`
pub(crate) async fn claim(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(id): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    nothing(request).await?;
    let id = read(&id)?;
    let claimed = state.engine().claim_call(&authenticated, id, meta.decision(&authenticated)).await?;
    Ok(response::json(StatusCode::OK, &claimed))
}

/// `POST /v1/calls/{id}/outcome`
pub(crate) async fn report(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(id): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let report = state.schemas.report.read(body::of_request(request, body::USUAL).await?)?;
    let id = read(&id)?;
    let meta = meta.decision(&authenticated);
    let view = state.engine().report_call(&authenticated, id, report, meta).await?;
    Ok(shown(&state, &view))
}

/// `POST /v1/calls/{id}/revoke`
pub(crate) async fn revoke(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(id): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    nothing(request).await?;
    let id = read(&id)?;
    let view = state.engine().revoke_call(&authenticated, id, meta.decision(&authenticated)).await?;
    Ok(shown(&state, &view))
}

fn shown(state: &HttpState, view: &OpenCallView) -> Response {
    response::json(StatusCode::OK, &OpenCallResponse::of(state.catalog().registry(), view))
}

/// Refuses query and body. An empty body and `{}` are accepted.
async fn nothing(request: Request) -> Result<(), ActionError> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    body::none(&head.headers, body, Vec::new).await
}

/// Parses the ID of a call. 404 if the text is not an ID, as for an unknown ID.
fn read(text: &str) -> Result<Id, ActionError> {
    Id::try_parse(text).map_err(|_| ActionError::not_found("call", text))
}
