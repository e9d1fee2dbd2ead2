//! What operators ask: is it alive, can it work, how is it doing.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use secrecy::ExposeSecret;
use serde_json::json;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{
    fault::{Fault, no_such_path},
    reply,
    signed::authorization,
    state::Shared,
    trail::Trail,
};

/// `GET /healthz`: the process answers.
pub(crate) async fn alive() -> Response {
    reply::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// `GET /readyz`: it can do its work.
pub(crate) async fn ready(State(shared): State<Shared>) -> Result<Response, Fault> {
    match shared.app.ready.ready().await {
        Ok(()) => Ok(reply::json(StatusCode::OK, &json!({ "status": "ready" }))),
        Err(missing) => {
            Err(ActionError::new(ErrorCode::StoreUnavailable, format!("not ready: {missing}")).into())
        }
    }
}

/// `GET /metrics` beside the API: for this machine, and for whoever knows the token.
pub(crate) async fn local_metrics(
    State(shared): State<Shared>,
    trail: Trail,
    sent: HeaderMap,
) -> Result<Response, Fault> {
    if shared.app.metrics_apart {
        return Err(no_such_path().await);
    }
    admitted(&shared, &trail, &sent).await?;
    Ok(written(&shared))
}

/// `GET /metrics` on an address of its own: for everybody, unless there is a token.
pub(crate) async fn metrics(
    State(shared): State<Shared>,
    trail: Trail,
    sent: HeaderMap,
) -> Result<Response, Fault> {
    if shared.app.edge.metrics_token.is_some() {
        admitted(&shared, &trail, &sent).await?;
    }
    Ok(written(&shared))
}

/// From this machine without a proxy between, or with the token. Everybody else finds nothing here.
async fn admitted(shared: &Shared, trail: &Trail, sent: &HeaderMap) -> Result<(), Fault> {
    let token = shared.app.edge.metrics_token.as_ref().map(ExposeSecret::expose_secret);
    let authorization = authorization(sent)?;
    if token.is_some() && authorization.is_some() {
        return Ok(shared.app.auth.know_machine(authorization, trail.peer, token)?);
    }
    if trail.local { Ok(()) } else { Err(no_such_path().await) }
}

fn written(shared: &Shared) -> Response {
    let text = (shared.app.metrics)();
    reply::typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
