//! Converts the responses of calls to HTTP responses.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Serialize;
use toolcrib_engine::{CallResponse, Outcome, limits::LimitState};

use crate::problem::problem;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    // Cannot fail: all map keys are strings.
    json_bytes(status, serde_json::to_vec(value).unwrap_or_default())
}

/// Returns a response with serialized JSON.
pub(crate) fn json_bytes(status: StatusCode, body: impl Into<Bytes>) -> Response {
    typed(status, "application/json", body.into())
}

/// Replaces the JSON of a response.
pub(crate) fn with_json(mut response: Response, value: &impl Serialize) -> Response {
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = serde_json::to_vec(value).unwrap_or_default().into();
    response
}

/// Returns a response with a body of any media type.
pub(crate) fn typed(status: StatusCode, kind: &'static str, body: impl IntoResponse) -> Response {
    let mut response = (status, body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns the response of an action: the envelope or the problem.
pub(crate) fn envelope(answer: &CallResponse) -> Response {
    let mut response = match &answer.outcome {
        Outcome::Completed(done) => json(StatusCode::OK, done),
        Outcome::Waiting(waiting) => {
            let mut response = json(StatusCode::ACCEPTED, waiting);
            locate(response.headers_mut(), &format!("/v1/confirmations/{}", waiting.confirmation.id));
            response
        }
        Outcome::ToRun(call) => {
            let mut response = json(StatusCode::ACCEPTED, call);
            if call.claim {
                locate(response.headers_mut(), &format!("/v1/calls/{}", call.call_id));
            }
            response
        }
        Outcome::Refused(refused) => problem(refused),
    };
    set_headers(&mut response, answer);
    response
}

/// Returns the response of an operation: its data without the envelope, or the problem.
pub(crate) fn data(answer: &CallResponse, status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let Outcome::Completed(done) = &answer.outcome else { return envelope(answer) };
    let mut response = json(status, &done.data);
    set_headers(&mut response, answer);
    response
}

/// Sets `RateLimit` and `RateLimit-Policy`.
pub(crate) fn limits(headers: &mut HeaderMap, state: &LimitState) {
    let class = state.class.as_str();
    let policy = format!("\"{class}\";q={};w=60", state.limit);
    let left = format!("\"{class}\";r={};t={}", state.remaining, state.reset_seconds);
    for (name, text) in [(LIMIT_POLICY, policy), (LIMIT, left)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    }
}

fn set_headers(response: &mut Response, answer: &CallResponse) {
    if let Some(state) = &answer.limit {
        limits(response.headers_mut(), state);
    }
    if answer.replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
}

fn locate(headers: &mut HeaderMap, place: &str) {
    if let Ok(value) = HeaderValue::from_str(place) {
        headers.insert(header::LOCATION, value);
    }
}
