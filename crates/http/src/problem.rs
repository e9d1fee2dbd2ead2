//! Errors as `application/problem+json`.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use toolcrib_engine::{ActionError, Problem};
use toolcrib_model::ErrorCode;

/// An error that a handler returns. Its response has no body: the outermost layer, which knows the request
/// ID, writes the problem document.
#[derive(Clone, Debug)]
pub(crate) struct ProblemResponse(pub ActionError);

impl From<ActionError> for ProblemResponse {
    fn from(error: ActionError) -> Self {
        Self(error)
    }
}

impl IntoResponse for ProblemResponse {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Returns 400 `malformed_request`.
pub(crate) fn malformed(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::MalformedRequest, detail)
}

/// Returns the problem response of an error outside a call, and logs its internal cause.
pub(crate) fn refuse(error: &ActionError, request_id: &str) -> Response {
    problem(&document(error, request_id))
}

/// Returns the problem document of an error outside a call, and logs its internal cause.
pub(crate) fn document(error: &ActionError, request_id: &str) -> Problem {
    error.log(request_id);
    Problem::new(error, request_id)
}

pub(crate) fn problem(problem: &Problem) -> Response {
    // Cannot fail: every field of a problem can be serialized to JSON.
    let body = serde_json::to_vec(problem).unwrap_or_default();
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, body).into_response();
    let mut set = |name: HeaderName, value: HeaderValue| {
        response.headers_mut().insert(name, value);
    };
    set(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if let Some(seconds) = problem.retry_after {
        set(header::RETRY_AFTER, seconds.into());
    }
    if problem.code == ErrorCode::Unauthenticated {
        set(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"toolcrib\""));
    }
    response
}

/// 404: the path has no route.
pub(crate) async fn no_such_path() -> ProblemResponse {
    let error = ActionError::new(ErrorCode::NotFound, "there is nothing at this path");
    ProblemResponse(error.hint("`/openapi.json` lists every path; none ends with a slash"))
}

/// 405: the path does not accept the method. The router adds `Allow`.
pub(crate) async fn no_such_method() -> ProblemResponse {
    let error = ActionError::new(ErrorCode::MethodNotAllowed, "this path does not take this method");
    ProblemResponse(error.hint("the header `Allow` names the methods that it takes"))
}

/// 503: the connection is beyond the cap, and the path is neither health nor readiness.
pub(crate) async fn overloaded() -> ProblemResponse {
    let mut error =
        ActionError::new(ErrorCode::Overloaded, "too many connections are open; nothing was done");
    error.retry_after = Some(1);
    ProblemResponse(error.hint("wait, then send it again"))
}
