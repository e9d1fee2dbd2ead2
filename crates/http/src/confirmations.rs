//! The routes `/v1/confirmations`: list, get, approve and deny calls that wait for a person.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, Uri},
    response::Response,
};
use serde::Serialize;
use serde_json::Value;
use toolcrib_auth::{Authenticated, Resource};
use toolcrib_engine::{ActionError, Approved, CallResponse, ConfirmationView, DecisionMeta, TokenText};
use toolcrib_model::{Id, Page, Via};
use toolcrib_registry::{ActionRegistry, Dispatcher, render_messages};

use crate::{
    auth::{ClientAuth, PathParam},
    body,
    problem::ProblemResponse,
    request_meta::RequestMeta,
    response,
    state::HttpState,
    tool_result,
};

/// The JSON representation of a confirmation, with the messages that report its outcome to the model.
#[derive(Serialize)]
struct ConfirmationResponse<'v> {
    #[serde(flatten)]
    view: &'v ConfirmationView,
    /// The final tool result in the provider's shape. It replaces the result that said that the call waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Value>,
}

impl<'v> ConfirmationResponse<'v> {
    fn of(registry: &ActionRegistry, view: &'v ConfirmationView) -> Self {
        Self { view, messages: messages(registry, view) }
    }
}

/// Returns the final tool result for the conversation. Empty until the confirmation has ended, or if no model
/// made the call.
fn messages(registry: &ActionRegistry, view: &ConfirmationView) -> Vec<Value> {
    let (Some(format), Some(id), true) = (view.tool_format, &view.tool_call_id, view.status.has_ended())
    else {
        return Vec::new();
    };
    let name =
        if view.via == Via::Dispatcher { Dispatcher::of_action(&view.action).as_str() } else { &view.action };
    render_messages(format, &[tool_result::answer(registry, &view.outcome(), id, name)])
}

/// `GET /v1/confirmations`
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    ClientAuth(authenticated): ClientAuth,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let filter = state.schemas.confirmations.query(&uri)?;
    let page = state.engine().confirmations(&authenticated, &filter).await?;
    let items =
        page.items.iter().map(|view| ConfirmationResponse::of(state.catalog().registry(), view)).collect();
    let shown = Page { items, next_cursor: page.next_cursor, ends: page.ends };
    Ok(response::json(StatusCode::OK, &shown))
}

/// `GET /v1/confirmations/{id}`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    ClientAuth(authenticated): ClientAuth,
    PathParam(id): PathParam,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.wait.query(&uri)?;
    let id = read(&id)?;
    let view = state.waiter(&authenticated, asked.wait.unwrap_or(0)).until_ended(id).await?;
    Ok(response::json(StatusCode::OK, &ConfirmationResponse::of(state.catalog().registry(), &view)))
}

/// `POST /v1/confirmations/{id}/approve`
pub(crate) async fn approve(
    State(state): State<Arc<HttpState>>,
    ClientAuth(authenticated): ClientAuth,
    PathParam(id): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let mut approval = state.schemas.approve.read(body::of_request(request, body::USUAL).await?)?;
    let id = read(&id)?;
    let decision = decision_meta(&state, &authenticated, &meta, approval.user_token.take()).await;
    match state.engine().approve(&authenticated, id, approval, decision).await? {
        Approved::PhraseRequired(required) => Ok(response::json(StatusCode::ACCEPTED, &required)),
        Approved::NewConfirmation(answer) => Ok(response::envelope(&answer)),
        Approved::Executed(answer, view) => Ok(ran(&state, &answer, view.as_deref())),
    }
}

/// Returns the response of the call that ran. Adds `messages` for the conversation if a model made the call.
fn ran(state: &HttpState, answer: &CallResponse, view: Option<&ConfirmationView>) -> Response {
    let messages = view.map(|view| messages(state.catalog().registry(), view)).unwrap_or_default();
    let response = response::envelope(answer);
    if messages.is_empty() {
        return response;
    }
    let mut value = answer.outcome.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("messages".into(), Value::Array(messages));
    }
    response::with_json(response, &value)
}

/// `POST /v1/confirmations/{id}/deny`
pub(crate) async fn deny(
    State(state): State<Arc<HttpState>>,
    ClientAuth(authenticated): ClientAuth,
    PathParam(id): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let denial = state.schemas.deny.read(body::of_request(request, body::USUAL).await?)?;
    let id = read(&id)?;
    let decision = decision_meta(&state, &authenticated, &meta, denial.user_token).await;
    let view = state.engine().deny(&authenticated, id, denial.reason, decision).await?;
    Ok(response::json(StatusCode::OK, &ConfirmationResponse::of(state.catalog().registry(), &view)))
}

/// Parses the ID of a confirmation. 404 if the text is not an ID, as for an unknown ID.
fn read(text: &str) -> Result<Id, ActionError> {
    Id::try_parse(text).map_err(|_| ActionError::not_found("confirmation", text))
}

/// Returns the metadata of a decision. Verifies a token in the body as it verifies the credential of a
/// request.
async fn decision_meta(
    state: &Arc<HttpState>,
    authenticated: &Authenticated,
    meta: &RequestMeta,
    token: Option<TokenText>,
) -> DecisionMeta {
    let user_token = match token {
        Some(TokenText(text)) => {
            let authorization = format!("Bearer {text}");
            let verified = state.app.auth.authenticate(Resource::Api, Some(&authorization), meta.peer).await;
            Some(verified.map_err(ActionError::from))
        }
        None => None,
    };
    DecisionMeta { user_token, ..meta.decision(authenticated) }
}
