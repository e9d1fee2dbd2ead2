//! Session grants: what runs without asking in a conversation, and its end.

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use toolcrib_engine::ActionError;
use toolcrib_model::Id;

use crate::{
    confirmations::plain,
    fault::{Fault, malformed},
    query, reply,
    signed::{Names, Signed},
    state::Shared,
    trail::Trail,
};

/// The longest conversation's id: what `X-Session-Id` takes.
const LONGEST: usize = 200;

/// `GET /v1/sessions/{id}/grants`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    Names(names): Names,
    request: Request,
) -> Result<Response, Fault> {
    query::none(request.uri())?;
    let page = shared.engine().session_grants(&authenticated, session(&names)?).await?;
    Ok(reply::json(StatusCode::OK, &page))
}

/// `DELETE /v1/sessions/{id}/grants` and `DELETE /v1/sessions/{id}/grants/{grant_id}`
pub(crate) async fn revoke(
    State(shared): State<Shared>,
    Signed(authenticated): Signed,
    Names(names): Names,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    query::none(request.uri())?;
    let only = match names.get("grant_id") {
        Some(text) => Some(Id::try_parse(text).map_err(|_| ActionError::not_found("grant", text))?),
        None => None,
    };
    let done = shared.engine().revoke_grants(&authenticated, session(&names)?, only, &plain(&trail)).await?;
    Ok(reply::json(StatusCode::OK, &done))
}

fn session(names: &std::collections::HashMap<String, String>) -> Result<&str, ActionError> {
    let text = names.get("id").map(String::as_str).unwrap_or_default();
    if text.len() <= LONGEST {
        return Ok(text);
    }
    Err(malformed(format!("a conversation's id has at most {LONGEST} characters")))
}
