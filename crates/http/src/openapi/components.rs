//! The document's components: schemas, problem responses, headers and security schemes.

mod call_response;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use toolcrib_engine::{
    CheckView, ClaimedCall, ConfirmationView, PhraseRequired,
    grants::{GrantsPage, RevokedGrants},
    lists::ToolList,
};
use toolcrib_model::ErrorCode;
use toolcrib_registry::{ArgError, output_schema_of};

use super::portable;
use crate::{
    actions::{ActionSummary, ActionView, ActionsPage},
    calls::CallsAnswer,
    open_calls::{OpenCallResponse, OutcomesAnswer},
    tools::ToolSearchResult,
};

/// A request header: name of the component, name of the header, description, schema.
type Header = (&'static str, &'static str, &'static str, fn() -> Value);

/// The headers that every operation with a credential accepts.
pub(super) const HEADERS: [Header; 7] = [
    (
        "WorkspaceId",
        "X-Workspace-Id",
        "The workspace: its ID here or at the identity provider. Required if the credential names none.",
        visible,
    ),
    (
        "CallerType",
        "X-Caller-Type",
        "The caller type of this call: one of those that the credential allows.",
        visible,
    ),
    ("SessionId", "X-Session-Id", "The conversation.", visible),
    ("MissionId", "X-Mission-Id", "The mission that this call belongs to.", id),
    (
        "OnBehalfOf",
        "X-On-Behalf-Of",
        "The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`.",
        visible,
    ),
    (
        "IdempotencyKey",
        "Idempotency-Key",
        "Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters.",
        unbroken,
    ),
    (
        "RequestId",
        "X-Request-Id",
        "Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than \
         letters, digits and `-_.:`.",
        text,
    ),
];

/// The name of the security scheme of the Alertmanager webhook.
pub(super) const ALERTMANAGER: &str = "alertmanager";

/// The statuses of problem responses that operations may refer to.
const STATUSES: [u16; 16] = [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 500, 501, 502, 503, 504];

/// The schema of any text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

fn id() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

/// The schema of visible ASCII text that may have spaces inside.
fn visible() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$" })
}

/// The schema of visible ASCII text without spaces.
fn unbroken() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$" })
}

pub(super) fn components() -> Value {
    json!({
        "securitySchemes": { "bearer": {
            "type": "http", "scheme": "bearer",
            "description": "A user's token from the issuer, or an agent or service key. Confirmations and events: a client token, too.",
        }, ALERTMANAGER: {
            "type": "http", "scheme": "bearer",
            "description": "The operator's setting `alertmanager_webhook_token`.",
        } },
        "parameters": parameters(),
        "headers": headers(),
        "responses": problems(),
        "schemas": schemas(),
    })
}

/// Returns the components that these paths refer to, directly or through other components.
pub(super) fn used_by(whole: &Value, paths: &Map<String, Value>) -> Value {
    let mut used = json!({ "securitySchemes": { "bearer": whole["securitySchemes"]["bearer"] } });
    let mut open: Vec<&Value> = paths.values().collect();
    while let Some(value) = open.pop() {
        let name = value.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix("#/components/"));
        if let Some((kind, name)) = name.and_then(|name| name.split_once('/'))
            && used[kind].get(name).is_none()
        {
            used[kind][name] = whole[kind][name].clone();
            open.push(&whole[kind][name]);
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    used
}

/// Returns a reference to a shared schema.
pub(super) fn shared(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns the schema of a page of a shared schema.
pub(super) fn page_of(name: &str) -> Value {
    json!({
        "type": "object", "required": ["items", "next_cursor"],
        "properties": {
            "items": { "type": "array", "items": shared(name) },
            "next_cursor": { "type": ["string", "null"] },
        },
    })
}

/// Returns the name of a shared problem response.
pub(super) fn problem_name(status: u16) -> String {
    format!("Problem{status}")
}

/// Returns the response headers of calls and lists.
pub(super) fn limit_headers() -> Value {
    let named = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
    json!({ "X-Request-Id": named("RequestId"), "RateLimit": named("RateLimit"), "RateLimit-Policy": named("RateLimitPolicy") })
}

fn parameters() -> Map<String, Value> {
    let all = HEADERS.iter().map(|(component, name, about, schema)| {
        let value = json!({ "name": name, "in": "header", "required": false, "description": about, "schema": schema() });
        ((*component).to_owned(), value)
    });
    all.collect()
}

fn headers() -> Value {
    let header = |text: &str| json!({ "description": text, "schema": { "type": "string" } });
    json!({
        "RequestId": header("The ID of the request; give it to the operator when you report a problem."),
        "RateLimit": header("What is left in the bucket, such as `\"write\";r=9;t=6`."),
        "RateLimitPolicy": header("The size of the bucket, such as `\"write\";q=10;w=60`."),
        "RetryAfter": { "description": "Seconds to wait.", "schema": { "type": "integer", "minimum": 0 } },
    })
}

fn problems() -> Map<String, Value> {
    let one = |status: u16| {
        let codes = ErrorCode::ALL.iter().filter(|code| code.status() == status);
        let words: Vec<String> = codes.map(|code| format!("`{}`: {}", code.as_str(), code.about())).collect();
        let named = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
        let mut headers = json!({ "X-Request-Id": named("RequestId") });
        if status == 429 {
            headers["Retry-After"] = named("RetryAfter");
        }
        json!({
            "description": words.join(" "),
            "headers": headers,
            "content": { "application/problem+json": { "schema": shared("Problem") } },
        })
    };
    STATUSES.iter().map(|&status| (problem_name(status), one(status))).collect()
}

fn schemas() -> Value {
    json!({
        "CompletedCall": call_response::completed_call(),
        "Completed": call_response::completed(),
        "Waiting": call_response::waiting(),
        "ToRun": call_response::to_run(),
        "Problem": call_response::problem(),
        "ArgError": published::<ArgError>(),
        "Check": published::<CheckView>(),
        "Action": published::<ActionView<'static>>(),
        "Actions": published::<ActionsPage<'static>>(),
        "ActionSummaries": published::<ActionsPage<'static, ActionSummary<'static>>>(),
        "PhraseRequired": published::<PhraseRequired>(),
        "Confirmation": published::<ConfirmationView>(),
        "OpenCall": published::<OpenCallResponse<'static>>(),
        "ClaimedCall": published::<ClaimedCall>(),
        "Outcomes": published::<OutcomesAnswer>(),
        "Grants": published::<GrantsPage>(),
        "Revoked": published::<RevokedGrants>(),
        "ToolList": published::<ToolList>(),
        "ToolSearch": published::<ToolSearchResult>(),
        "ToolAnswers": published::<CallsAnswer>(),
    })
}

fn published<T: JsonSchema>() -> Value {
    portable::schema(output_schema_of::<T>())
}
