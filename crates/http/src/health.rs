//! What operators ask: is it alive, can it work, how is it doing.

use std::sync::Arc;

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
    auth::authorization,
    problem::{ProblemResponse, no_such_path},
    request_meta::RequestMeta,
    response,
    state::HttpState,
};

/// `GET /healthz`: the process answers.
pub(crate) async fn alive() -> Response {
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// `GET /readyz`: it can do its work.
pub(crate) async fn ready(State(state): State<Arc<HttpState>>) -> Result<Response, ProblemResponse> {
    match state.app.ready.ready().await {
        Ok(()) => Ok(response::json(StatusCode::OK, &json!({ "status": "ready" }))),
        Err(missing) => {
            Err(ActionError::new(ErrorCode::StoreUnavailable, format!("not ready: {missing}")).into())
        }
    }
}

/// `GET /metrics` beside the API: for this machine, and for whoever knows the token.
pub(crate) async fn local_metrics(
    State(state): State<Arc<HttpState>>,
    trail: RequestMeta,
    sent: HeaderMap,
) -> Result<Response, ProblemResponse> {
    if state.app.metrics_apart {
        return Err(no_such_path().await);
    }
    admitted(&state, &trail, &sent).await?;
    Ok(written(&state))
}

/// `GET /metrics` on an address of its own: for everybody, unless there is a token.
pub(crate) async fn metrics(
    State(state): State<Arc<HttpState>>,
    trail: RequestMeta,
    sent: HeaderMap,
) -> Result<Response, ProblemResponse> {
    if state.app.edge.metrics_token.is_some() {
        admitted(&state, &trail, &sent).await?;
    }
    Ok(written(&state))
}

/// From this machine without a proxy between, or with the token. Everybody else finds nothing here.
async fn admitted(
    state: &Arc<HttpState>,
    trail: &RequestMeta,
    sent: &HeaderMap,
) -> Result<(), ProblemResponse> {
    let token = state.app.edge.metrics_token.as_ref().map(ExposeSecret::expose_secret);
    let authorization = authorization(sent)?;
    if token.is_some() && authorization.is_some() {
        return Ok(state.app.auth.know_machine(authorization, trail.peer, token)?);
    }
    if trail.local { Ok(()) } else { Err(no_such_path().await) }
}

fn written(state: &Arc<HttpState>) -> Response {
    let text = (state.app.metrics)();
    response::typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
