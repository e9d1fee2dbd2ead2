//! Calls that wait for a human: the list, one of them, yes and no.

use axum::{
    extract::{Request, State},
    http::{StatusCode, Uri},
    response::Response,
};
use serde_json::Value;
use toolcrib_engine::{
    ActionError, Approved, Authenticated, CallResponse, ConfirmationView, DecisionMeta, Surface, TokenText,
};
use toolcrib_model::{Id, Page};

use crate::{
    body,
    fault::Fault,
    query, reply,
    signed::{Name, Signed},
    state::Shared,
    trail::Trail,
};

mod told;
mod wait;

pub use told::outcome;
pub(crate) use told::{Told, messages, unrun};
pub use wait::until_decided;

/// `GET /v1/confirmations`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    uri: Uri,
) -> Result<Response, Fault> {
    let filter = shared.frames.confirmations.query(&uri)?;
    let page = shared.engine().confirmations(&authenticated, &filter).await?;
    let items = page.items.iter().map(|view| Told::of(shared.catalog().registry(), view)).collect();
    let shown = Page { items, next_cursor: page.next_cursor, ends: page.ends };
    Ok(reply::json(StatusCode::OK, &shown))
}

/// `GET /v1/confirmations/{id}`
pub(crate) async fn get(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    Name(id): Name,
    uri: Uri,
) -> Result<Response, Fault> {
    let asked = shared.frames.wait.query(&uri)?;
    let id = read(&id)?;
    let view = until_decided(shared.engine(), &authenticated, id, asked.wait.unwrap_or(0)).await?;
    Ok(reply::json(StatusCode::OK, &Told::of(shared.catalog().registry(), &view)))
}

/// `POST /v1/confirmations/{id}/approve`
pub(crate) async fn approve(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    Name(id): Name,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    let mut approval = shared.frames.approve.read(sent(request).await?)?;
    let id = read(&id)?;
    let decider = decider(&shared, &trail, approval.user_token.take()).await;
    match shared.engine().approve(&authenticated, id, approval, decider).await? {
        Approved::PhraseRequired(required) => Ok(reply::json(StatusCode::ACCEPTED, &required)),
        Approved::AskedAnew(answer) => Ok(reply::envelope(&answer, &trail.request_id)),
        Approved::Executed(answer) => Ok(ran(&shared, &authenticated, id, &answer, &trail).await),
    }
}

/// The answer of the call that ran, with the messages for the conversation where a model asked for it.
async fn ran(
    shared: &Shared,
    authenticated: &Authenticated,
    id: Id,
    answer: &CallResponse,
    trail: &Trail,
) -> Response {
    let view = shared.engine().confirmation(authenticated, id).await;
    let messages = view.ok().map(|view| messages(shared.catalog().registry(), &view)).unwrap_or_default();
    let mut response = reply::envelope(answer, &trail.request_id);
    if messages.is_empty() {
        return response;
    }
    let mut value = answer.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("messages".into(), Value::Array(messages));
    }
    let body = serde_json::to_vec(&value).unwrap_or_default();
    response.headers_mut().remove(axum::http::header::CONTENT_LENGTH);
    *response.body_mut() = body.into();
    response
}

/// `POST /v1/confirmations/{id}/deny`
pub(crate) async fn deny(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    Name(id): Name,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    let denial = shared.frames.deny.read(sent(request).await?)?;
    let id = read(&id)?;
    let decider = decider(&shared, &trail, denial.user_token).await;
    let view = shared.engine().deny(&authenticated, id, denial.reason, decider).await?;
    Ok(reply::json(StatusCode::OK, &Told::of(shared.catalog().registry(), &view)))
}

async fn sent(request: Request) -> Result<Value, ActionError> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    body::object(&head.headers, body, body::USUAL).await
}

/// What is no id belongs to nothing.
fn read(text: &str) -> Result<Id, ActionError> {
    Id::try_parse(text).map_err(|_| ActionError::not_found("confirmation", text))
}

/// How a decision came in; a token in its body is verified like the one of a request.
async fn decider(shared: &Shared, trail: &Trail, token: Option<TokenText>) -> DecisionMeta {
    let user_token = match token {
        Some(TokenText(text)) => {
            let authorization = format!("Bearer {text}");
            Some(shared.app.auth.authenticate(Some(&authorization), trail.peer).await)
        }
        None => None,
    };
    DecisionMeta { user_token, ..plain(trail) }
}

/// The same without a body.
pub(crate) fn plain(trail: &Trail) -> DecisionMeta {
    let (request_id, trace_id) = (trail.request_id.clone(), trail.trace_id.clone());
    DecisionMeta { surface: Surface::Rest, request_id, trace_id, user_token: None }
}

/// Whether a human may still decide it.
pub fn open(view: &ConfirmationView) -> bool {
    matches!(view.status.as_str(), "pending" | "awaiting_phrase")
}
