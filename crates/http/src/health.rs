//! Liveness, readiness and metrics.

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

/// `GET /healthz`: 200 while the process runs.
pub(crate) async fn alive() -> Response {
    response::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// `GET /readyz`: 200 if the process can serve calls, 503 otherwise.
pub(crate) async fn ready(State(state): State<Arc<HttpState>>) -> Result<Response, ProblemResponse> {
    match state.app.ready.ready().await {
        Ok(()) => Ok(response::json(StatusCode::OK, &json!({ "status": "ready" }))),
        Err(missing) => {
            let detail = format!("the service is not ready: {missing}");
            Err(ActionError::new(ErrorCode::StoreUnavailable, detail).into())
        }
    }
}

/// `GET /metrics` on the API's address: for clients on this machine and for clients with the token.
pub(crate) async fn local_metrics(
    State(state): State<Arc<HttpState>>,
    meta: RequestMeta,
    sent: HeaderMap,
) -> Result<Response, ProblemResponse> {
    if state.app.metrics_apart {
        return Err(no_such_path().await);
    }
    admitted(&state, &meta, &sent).await?;
    Ok(written(&state))
}

/// `GET /metrics` on a separate address: for every client, or for clients with the token if one is
/// configured.
pub(crate) async fn metrics(
    State(state): State<Arc<HttpState>>,
    meta: RequestMeta,
    sent: HeaderMap,
) -> Result<Response, ProblemResponse> {
    if state.app.edge.metrics_token.is_some() {
        admitted(&state, &meta, &sent).await?;
    }
    Ok(written(&state))
}

/// Accepts requests with the token, and requests from this machine that no proxy forwarded. 401 for a wrong
/// token, 404 for all others.
async fn admitted(
    state: &Arc<HttpState>,
    meta: &RequestMeta,
    sent: &HeaderMap,
) -> Result<(), ProblemResponse> {
    let token = state.app.edge.metrics_token.as_ref().map(ExposeSecret::expose_secret);
    let authorization = authorization(sent)?;
    if token.is_some() && authorization.is_some() {
        let verified = state.app.auth.verify_shared_secret(authorization, meta.peer, token);
        return Ok(verified.map_err(ActionError::from)?);
    }
    if meta.local { Ok(()) } else { Err(no_such_path().await) }
}

fn written(state: &Arc<HttpState>) -> Response {
    let text = (state.app.metrics)();
    response::typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
