//! Converts the responses of calls to HTTP responses.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use toolcrib_engine::{CallResponse, Replayed, ResponseBody, limits::LimitState};
use toolcrib_model::ErrorCode;

use crate::problem::{problem, problem_bytes};

const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Returns a response with a value as JSON.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    // Cannot fail: all map keys are strings.
    json_bytes(status, serde_json::to_vec(value).unwrap_or_default())
}

/// Returns a response with serialized JSON.
pub(crate) fn json_bytes(status: StatusCode, body: impl Into<Bytes>) -> Response {
    typed(status, "application/json", body.into())
}

/// Returns a response with a body of any media type.
pub(crate) fn typed(status: StatusCode, kind: &'static str, body: impl IntoResponse) -> Response {
    let mut response = (status, body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns an HTML page with its `Content-Security-Policy`.
pub(crate) fn html(body: Bytes, policy: Option<&HeaderValue>) -> Response {
    let mut response = typed(StatusCode::OK, "text/html; charset=utf-8", body);
    if let Some(policy) = policy {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    }
    response
}

/// Returns the response of an action: the envelope or the problem.
pub(crate) fn envelope(answer: &CallResponse, request_id: &str) -> Response {
    let mut response = match &answer.body {
        ResponseBody::Completed(done) => json(StatusCode::OK, done),
        ResponseBody::Waiting(waiting) => {
            let mut response = json(StatusCode::ACCEPTED, waiting);
            locate(response.headers_mut(), &format!("/v1/confirmations/{}", waiting.confirmation.id));
            response
        }
        ResponseBody::ToRun(call) => {
            let mut response = json(StatusCode::ACCEPTED, call);
            if call.claim {
                locate(response.headers_mut(), &format!("/v1/calls/{}", call.call_id));
            }
            response
        }
        ResponseBody::Refused(refused) => problem(refused),
        ResponseBody::Replayed(replayed) => stored(replayed, request_id),
    };
    set_headers(&mut response, answer);
    response
}

/// Returns the response of an operation: its data without the envelope, or the problem.
pub(crate) fn data(answer: &CallResponse, status: u16, request_id: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut response = match &answer.body {
        ResponseBody::Completed(done) => json(status, &done.data),
        ResponseBody::Replayed(replayed) if replayed.status < 300 => {
            json(status, replayed.body.get("data").unwrap_or(&Value::Null))
        }
        _ => return envelope(answer, request_id),
    };
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
    let replayed = match &answer.body {
        ResponseBody::Replayed(_) => true,
        ResponseBody::Completed(done) => done.replayed,
        ResponseBody::Waiting(_) | ResponseBody::ToRun(_) | ResponseBody::Refused(_) => false,
    };
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
}

fn stored(replayed: &Replayed, request_id: &str) -> Response {
    let Some(code) = code(&replayed.body) else {
        let status = StatusCode::from_u16(replayed.status).unwrap_or(StatusCode::OK);
        let mut response = json(status, &replayed.body);
        let field = |name: &str| replayed.body.get(name);
        if let Some(id) =
            field("call_id").and_then(Value::as_str).filter(|_| field("claim") == Some(&true.into()))
        {
            locate(response.headers_mut(), &format!("/v1/calls/{id}"));
        }
        return response;
    };
    let mut body = replayed.body.clone();
    if let Some(fields) = body.as_object_mut() {
        fields.insert("request_id".into(), request_id.into());
    }
    let retry_after = body.get("retry_after").and_then(Value::as_u64);
    problem_bytes(replayed.status, code, retry_after, body.to_string().into_bytes())
}

/// Returns the error code of a body. Returns `None` if the body is not a problem.
pub(crate) fn code(body: &Value) -> Option<ErrorCode> {
    body.get("code").and_then(Value::as_str).and_then(ErrorCode::parse)
}

pub(crate) fn locate(headers: &mut HeaderMap, place: &str) {
    if let Ok(value) = HeaderValue::from_str(place) {
        headers.insert(header::LOCATION, value);
    }
}
