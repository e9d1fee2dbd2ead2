//! What operators ask: is it alive, can it work, how is it doing.

use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::json;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{
    fault::{Fault, no_such_path},
    reply,
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

/// `GET /metrics` beside the API: for this machine alone.
pub(crate) async fn local_metrics(State(shared): State<Shared>, trail: Trail) -> Result<Response, Fault> {
    if shared.app.metrics_apart || !trail.local {
        return Err(no_such_path().await);
    }
    Ok(metrics(State(shared)).await)
}

/// `GET /metrics` on an address of its own.
pub(crate) async fn metrics(State(shared): State<Shared>) -> Response {
    let text = (shared.app.metrics)();
    reply::typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
