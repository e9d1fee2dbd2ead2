//! The webhook to which an Alertmanager delivers alerts. It has a secret of its own as its credential.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use secrecy::ExposeSecret as _;
use serde_json::json;
use toolcrib_engine::ActionError;
use toolcrib_model::parse_strict;

use crate::{
    auth::authorization,
    body,
    problem::{ProblemResponse, malformed},
    query,
    request_meta::RequestMeta,
    response,
    state::{AlertHook, HttpState},
};

/// `POST /v1/hooks/alertmanager`: stores firing and resolved alerts.
pub(crate) async fn alertmanager(
    State(state): State<Arc<HttpState>>,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let (head, sent) = request.into_parts();
    let hook = known(&state, authorization(&head.headers)?, &meta)?;
    query::none(&head.uri)?;
    let message = body::bytes(&head.headers, sent, body::USUAL).await?;
    parse_strict(&message).map_err(|error| malformed(error.to_string()))?;
    let stored = hook.inbox.deliver(message).await?;
    Ok(response::json(StatusCode::OK, &json!({ "stored": stored })))
}

/// Returns the hook if the header carries its secret. Refuses every secret if no hook is configured.
fn known<'s>(
    state: &'s Arc<HttpState>,
    authorization: Option<&str>,
    meta: &RequestMeta,
) -> Result<&'s AlertHook, ActionError> {
    let hook = state.app.alerts.as_ref();
    let secret = hook.map(|hook| hook.token.expose_secret());
    state.app.auth.verify_shared_secret(authorization, meta.peer, secret)?;
    hook.ok_or_else(|| ActionError::internal("a hook that does not exist knew its machine"))
}
