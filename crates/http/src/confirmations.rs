//! Calls that wait for a human: the list, one of them, yes and no.

use axum::{
    extract::{Request, State},
    http::{StatusCode, Uri},
    response::Response,
};
use serde_json::Value;
use toolcrib_engine::{ActionError, Answer, Approved, ConfirmationView, Decider, Door, Identity, TokenText};
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
    Signed(identity): Signed,
    uri: Uri,
) -> Result<Response, Fault> {
    let filter = shared.frames.confirmations.query(&uri)?;
    let page = shared.engine().confirmations(&identity, &filter).await?;
    let items = page.items.iter().map(|view| Told::of(shared.catalog().registry(), view)).collect();
    let shown = Page { items, next_cursor: page.next_cursor, ends: page.ends };
    Ok(reply::json(StatusCode::OK, &shown))
}

/// `GET /v1/confirmations/{id}`
pub(crate) async fn get(
    State(shared): State<Shared>,
    Signed(identity): Signed,
    Name(id): Name,
    uri: Uri,
) -> Result<Response, Fault> {
    let asked = shared.frames.wait.query(&uri)?;
    let id = read(&id)?;
    let view = until_decided(shared.engine(), &identity, id, asked.wait.unwrap_or(0)).await?;
    Ok(reply::json(StatusCode::OK, &Told::of(shared.catalog().registry(), &view)))
}

/// `POST /v1/confirmations/{id}/approve`
pub(crate) async fn approve(
    State(shared): State<Shared>,
    Signed(identity): Signed,
    Name(id): Name,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    let mut approval = shared.frames.approve.read(sent(request).await?)?;
    let id = read(&id)?;
    let decider = decider(&shared, &trail, approval.user_token.take()).await;
    match shared.engine().approve(&identity, id, approval, decider).await? {
        Approved::PhraseRequired(required) => Ok(reply::json(StatusCode::ACCEPTED, &required)),
        Approved::AskedAnew(answer) => Ok(reply::envelope(&answer, &trail.request_id)),
        Approved::Ran(answer) => Ok(ran(&shared, &identity, id, &answer, &trail).await),
    }
}

/// The answer of the call that ran, with the messages for the conversation where a model asked for it.
async fn ran(shared: &Shared, identity: &Identity, id: Id, answer: &Answer, trail: &Trail) -> Response {
    let view = shared.engine().confirmation(identity, id).await;
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
    Signed(identity): Signed,
    Name(id): Name,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    let denial = shared.frames.deny.read(sent(request).await?)?;
    let id = read(&id)?;
    let decider = decider(&shared, &trail, denial.user_token).await;
    let view = shared.engine().deny(&identity, id, denial.reason, decider).await?;
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
async fn decider(shared: &Shared, trail: &Trail, token: Option<TokenText>) -> Decider {
    let user_token = match token {
        Some(TokenText(text)) => {
            let authorization = format!("Bearer {text}");
            Some(shared.app.auth.authenticate(Some(&authorization), trail.peer).await)
        }
        None => None,
    };
    Decider { user_token, ..plain(trail) }
}

/// The same without a body.
pub(crate) fn plain(trail: &Trail) -> Decider {
    let (request_id, trace_id) = (trail.request_id.clone(), trail.trace_id.clone());
    Decider { door: Door::Rest, request_id, trace_id, user_token: None }
}

/// Whether a human may still decide it.
pub fn open(view: &ConfirmationView) -> bool {
    matches!(view.status.as_str(), "pending" | "awaiting_phrase")
}
