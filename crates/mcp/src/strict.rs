//! Messages are read as strictly as every other body: the transport's own reader would take the last of two keys and
//! round large numbers, so that two readers could see two calls.

use axum::{
    body::Body,
    extract::Request,
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use toolcrib_http::guests::{collected, refusal};
use toolcrib_model::parse_strict;

/// JSON-RPC's code for a message that is no JSON.
const PARSE_ERROR: i32 = -32_700;

/// Reads the body once; what is left of it is passed on.
pub async fn strict(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let bytes = match collected(&head.headers, body).await {
        Ok(bytes) => bytes,
        Err(error) => return refusal(error),
    };
    match parse_strict(&bytes) {
        Ok(_) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Err(fault) => {
            let error = json!({ "code": PARSE_ERROR, "message": fault.to_string() });
            let message = json!({ "jsonrpc": "2.0", "id": null, "error": error });
            (StatusCode::BAD_REQUEST, axum::Json(message)).into_response()
        }
    }
}
