//! Parses messages as strictly as other request bodies. The transport's own parser accepts duplicate keys and
//! rounds large numbers, so two parsers could read one message as different calls.

use axum::{
    body::Body,
    extract::Request,
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json, value::RawValue};
use toolcrib_engine::compute_large;
use toolcrib_http::mount::{collected, refusal};
use toolcrib_model::parse_strict;

/// JSON-RPC's error code for a message that is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC's error code for JSON that is not a JSON-RPC message.
const INVALID_REQUEST: i32 = -32_600;
/// JSON-RPC's error code for a method with parameters that it does not take.
const INVALID_PARAMS: i32 = -32_602;
/// Why the transport does not take a message. Its own text does not say it.
const NO_MESSAGE: &str = "the body is no request or notification: `id` is a string or an integer of 64 bits, `method` \
                          is a string, `params` and `_meta` are objects";

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
        Ok(message) if has_no_object(&message) => {
            let id = message.get("id").cloned().unwrap_or_default();
            let text =
                "`arguments` must be a JSON object, such as {\"limit\": 5}, and not a text that holds one";
            refuse(StatusCode::OK, &id, INVALID_PARAMS, text)
        }
        Ok(message) if message.get("jsonrpc").is_some_and(|version| version == "2.0") => {
            let response = next.run(Request::from_parts(head, Body::from(bytes))).await;
            // The content type was accepted above, so the transport means the message.
            if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
                return response;
            }
            let id = message.get("id").filter(|id| is_id(id)).cloned().unwrap_or_default();
            refuse(StatusCode::BAD_REQUEST, &id, INVALID_REQUEST, NO_MESSAGE)
        }
        Ok(_) => {
            let text = "the body must be one JSON-RPC 2.0 message";
            refuse(StatusCode::BAD_REQUEST, &Value::Null, INVALID_REQUEST, text)
        }
        Err(unreadable) => match id(&bytes) {
            Some(id) => {
                let text = format!("the message can't be read: {unreadable}");
                refuse(StatusCode::OK, &id, INVALID_PARAMS, &text)
            }
            None => refuse(StatusCode::BAD_REQUEST, &Value::Null, PARSE_ERROR, &unreadable.to_string()),
        },
    }
}

/// Returns the id of a request that is JSON and not as strict as it must be, so that its client can tell which request
/// failed.
fn id(bytes: &[u8]) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct WithId<'m> {
        #[serde(borrow)]
        id: &'m RawValue,
    }
    let message: WithId<'_> = serde_json::from_slice(bytes).ok()?;
    let id = parse_strict(message.id.get().as_bytes()).ok()?;
    is_id(&id).then_some(id)
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number()
}

/// Returns whether the message calls a tool with arguments that are no object. The transport's own error for it names
/// types of its implementation.
fn has_no_object(message: &Value) -> bool {
    let arguments = message.pointer("/params/arguments").unwrap_or(&Value::Null);
    let calls = message.get("method").is_some_and(|method| method == "tools/call");
    calls && message.get("id").is_some() && !arguments.is_object() && !arguments.is_null()
}

fn refuse(status: StatusCode, id: &Value, code: i32, message: &str) -> Response {
    let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    (status, axum::Json(error)).into_response()
}
