//! Schemas of the responses of calls.

use serde_json::{Value, json};
use toolcrib_model::ErrorCode;

use super::shared;

/// Returns the schema of any completed call. An action's own operation describes `action` and `data` in
/// detail.
pub(super) fn completed() -> Value {
    let own = json!({ "action": { "type": "string" }, "data": { "description": "The action's output." } });
    json!({ "allOf": [
        shared("CompletedCall"),
        { "type": "object", "required": ["action", "data"], "properties": own },
    ] })
}

/// Returns the schema of what all completed calls share. It omits `action` and `data`, because client
/// generators merge the schemas of an `allOf` and fail if they define a property differently.
pub(super) fn completed_call() -> Value {
    json!({
        "type": "object",
        "description": "A call that ran.",
        "required": ["ok", "status", "call_id", "via", "permission_level", "description", "api_call", "granted_by",
            "replayed", "executed_at", "duration_ms"],
        "properties": {
            "ok": { "const": true },
            "status": { "const": "completed" },
            "call_id": { "type": "string", "format": "uuid", "description": "The id of its audit row." },
            "via": { "enum": ["direct", "dispatcher", "confirmation"] },
            "permission_level": { "enum": ["read", "write", "destructive"] },
            "description": { "type": "string", "description": "One sentence for people." },
            "truncated": { "type": "boolean", "description": "Whether lists or texts in `data` were cut." },
            "unreadable": {
                "type": "string",
                "description": "What the service that ran the tool answered, if `data` is null because it can't be shown: `application/pdf, 9 bytes`.",
            },
            "api_call": {
                "type": "object",
                "description": "The call of the platform's services that has the same effect.",
                "required": ["service", "mutation_type", "payload"],
                "properties": {
                    "service": { "type": "string" },
                    "mutation_type": { "enum": ["read", "create", "update", "delete"] },
                    "payload": { "type": "object" },
                },
            },
            "granted_by": { "enum": ["auto", "session", "user"] },
            "tool_call_id": { "type": "string" },
            "repaired": repaired(),
            "replayed": { "type": "boolean", "description": "The response of an earlier call with the same key." },
            "secret_shown": { "type": "boolean", "description": "A secret that was already shown is omitted." },
            "executed_at": { "type": "string", "format": "date-time" },
            "duration_ms": { "type": "integer", "minimum": 0 },
        },
    })
}

pub(super) fn waiting() -> Value {
    let line = json!({
        "type": "object", "required": ["label", "value"],
        "properties": { "label": { "type": "string" }, "value": { "type": "string" } },
    });
    json!({
        "type": "object",
        "description": "A call that waits for a person.",
        "required": ["ok", "status", "call_id", "action", "permission_level", "description", "confirmation"],
        "properties": {
            "ok": { "const": false },
            "status": { "const": "confirmation_required" },
            "call_id": { "type": "string", "format": "uuid" },
            "action": { "type": "string" },
            "permission_level": { "enum": ["read", "write", "destructive"] },
            "description": { "type": "string" },
            "confirmation": {
                "type": "object",
                "required": ["id", "level", "warning", "summary", "more", "expires_at", "allow_session_grant", "approve_url"],
                "properties": {
                    "id": { "type": "string", "format": "uuid" },
                    "level": { "enum": ["simple", "typed"] },
                    "warning": { "type": ["string", "null"] },
                    "summary": { "type": "array", "items": line },
                    "more": { "type": "integer", "minimum": 0, "description": "How many parameters are not shown." },
                    "expires_at": { "type": "string", "format": "date-time" },
                    "allow_session_grant": { "type": "boolean" },
                    "approve_url": { "type": "string", "format": "uri" },
                },
            },
            "supersedes": {
                "type": "array",
                "description": "The confirmations of earlier calls on the same target that this call replaced.",
                "items": { "type": "string", "format": "uuid" },
            },
            "tool_call_id": { "type": "string" },
            "repaired": repaired(),
        },
    })
}

/// Returns the schema of a call that the caller runs.
pub(super) fn to_run() -> Value {
    json!({
        "type": "object",
        "description": "A call that the caller runs.",
        "required": ["ok", "status", "call_id", "action", "permission_level", "description", "arguments", "claim"],
        "properties": {
            "ok": { "const": false },
            "status": { "const": "client_execution_required" },
            "call_id": { "type": "string", "format": "uuid" },
            "action": { "type": "string" },
            "permission_level": { "enum": ["read", "write", "destructive"] },
            "description": { "type": "string" },
            "arguments": { "type": "object", "description": "Sensitive values are masked if `claim` is true." },
            "claim": {
                "type": "boolean",
                "description": "Whether the call must be claimed before it runs, and its outcome reported. False for a read.",
            },
            "claim_by": { "type": "string", "format": "date-time" },
            "tool_call_id": { "type": "string" },
            "repaired": repaired(),
        },
    })
}

fn repaired() -> Value {
    json!({
        "type": "array", "items": { "type": "string" },
        "description": "JSON pointers to the arguments that were read differently from how the model wrote them; `\"\"` is the whole text. Absent if nothing was.",
    })
}

pub(super) fn problem() -> Value {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "type": "object",
        "description": "RFC 9457 problem details.",
        "required": ["type", "title", "status", "code", "detail", "request_id", "errors"],
        "properties": {
            "type": { "type": "string", "format": "uri-reference", "description": "URL of the description of the code." },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "code": { "enum": codes, "description": "A stable error code; branch on it." },
            "detail": { "type": "string" },
            "hint": { "type": "string", "description": "What to do instead." },
            "action": { "type": "string" },
            "description": { "type": "string" },
            "executed_at": { "type": "string", "format": "date-time" },
            "call_id": { "type": "string", "format": "uuid" },
            "request_id": { "type": "string" },
            "upstream_message": {
                "type": "string",
                "description": "What the service that runs the tool answered: at most its first 2 KiB, written by others.",
            },
            "errors": { "type": "array", "items": shared("ArgError") },
            "call": { "description": "The corrected call." },
            "retryable": { "type": "boolean" },
            "retry_after": { "type": "integer", "minimum": 0, "description": "Seconds to wait." },
        },
    })
}
