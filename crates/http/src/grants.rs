//! The routes of session grants: list and revoke the grants under which calls in a session need no
//! confirmation.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use toolcrib_engine::ActionError;
use toolcrib_model::Id;

use crate::{
    auth::{Auth, PathParams},
    problem::{ProblemResponse, malformed},
    query,
    request_meta::RequestMeta,
    response,
    state::HttpState,
};

/// The maximum length of a session ID, as for `X-Session-Id`.
const MAX_SESSION_LEN: usize = 200;

/// `GET /v1/sessions/{id}/grants`
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParams(names): PathParams,
    request: Request,
) -> Result<Response, ProblemResponse> {
    query::none(request.uri())?;
    let page = state.engine().session_grants(&authenticated, session(&names)?).await?;
    Ok(response::json(StatusCode::OK, &page))
}

/// `DELETE /v1/sessions/{id}/grants` and `DELETE /v1/sessions/{id}/grants/{grant_id}`
pub(crate) async fn revoke(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParams(names): PathParams,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    query::none(request.uri())?;
    let only = match names.get("grant_id") {
        Some(text) => Some(Id::try_parse(text).map_err(|_| ActionError::not_found("grant", text))?),
        None => None,
    };
    let decision = meta.decision(&authenticated);
    let done = state.engine().revoke_grants(&authenticated, session(&names)?, only, &decision).await?;
    Ok(response::json(StatusCode::OK, &done))
}

fn session(names: &std::collections::HashMap<String, String>) -> Result<&str, ActionError> {
    let text = names.get("id").map(String::as_str).unwrap_or_default();
    if text.len() <= MAX_SESSION_LEN {
        return Ok(text);
    }
    Err(malformed(format!("a session ID has at most {MAX_SESSION_LEN} characters")))
}
