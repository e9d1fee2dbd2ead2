//! What machines of the operator's deliver, each with a secret of its own.

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
    body,
    fault::{Fault, malformed},
    query, reply,
    signed::authorization,
    state::{AlertHook, Shared},
    trail::Trail,
};

/// `POST /v1/hooks/alertmanager`: alerts that fire and alerts that ended.
pub(crate) async fn alertmanager(
    State(shared): State<Shared>,
    trail: Trail,
    request: Request,
) -> Result<Response, Fault> {
    let (head, sent) = request.into_parts();
    let hook = known(&shared, authorization(&head.headers)?, &trail)?;
    query::none(&head.uri)?;
    let message = body::bytes(&head.headers, sent, body::USUAL).await?;
    parse_strict(&message).map_err(|fault| malformed(fault.to_string()))?;
    let stored = hook.inbox.deliver(message).await?;
    Ok(reply::json(StatusCode::OK, &json!({ "stored": stored })))
}

/// The hook, for whoever knows its secret; where there is no hook nobody does.
fn known<'s>(
    shared: &'s Shared,
    authorization: Option<&str>,
    trail: &Trail,
) -> Result<&'s AlertHook, ActionError> {
    let hook = shared.app.alerts.as_ref();
    let secret = hook.map(|hook| hook.token.expose_secret());
    shared.app.auth.know_machine(authorization, trail.peer, secret)?;
    hook.ok_or_else(|| ActionError::internal("a hook that does not exist knew its machine"))
}
