//! Parses messages as strictly as other request bodies. The transport's own parser accepts duplicate keys and
//! rounds large numbers, so two parsers could read one message as different calls.

use axum::{
    body::Body,
    extract::Request,
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use toolcrib_engine::compute_large;
use toolcrib_http::mount::{collected, refusal};
use toolcrib_model::parse_strict;

/// JSON-RPC's error code for a message that is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC's error code for JSON that is not a JSON-RPC message.
const INVALID_REQUEST: i32 = -32_600;

/// Middleware that reads and checks the body of a POST, and passes the same bytes to the transport.
pub async fn strict_json(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let bytes = match collected(&head.headers, body).await {
        Ok(bytes) => bytes,
        Err(error) => return refusal(error),
    };
    match compute_large(bytes.len(), || parse_strict(&bytes)) {
        Ok(message) if message.get("jsonrpc").is_some_and(|version| version == "2.0") => {
            next.run(Request::from_parts(head, Body::from(bytes))).await
        }
        Ok(_) => refuse(INVALID_REQUEST, "the body must be one JSON-RPC 2.0 message"),
        Err(fault) => refuse(PARSE_ERROR, &fault.to_string()),
    }
}

fn refuse(code: i32, message: &str) -> Response {
    let error = json!({ "code": code, "message": message });
    let answer = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response()
}
