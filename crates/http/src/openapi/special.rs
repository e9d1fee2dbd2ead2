//! What callers use that is neither an action nor a row of the route table.

use serde_json::{Value, json};
use toolcrib_registry::schema_of;

use super::{components::shared, operation::Operation};
use crate::{
    actions::ActionsQuery,
    calls::CallsRequest,
    schema_for::RequestSchemas,
    tools::{ListRequest, PromptQuery, SearchRequest},
};

const TOOLS: &str = "Tools";
const ACTIONS: &str = "Actions";
const CONFIRMATIONS: &str = "Confirmations";
const SESSIONS: &str = "Sessions";
const EVENTS: &str = "Events";

/// Who sees what, and what a message looks like.
const STREAM: &str = "Server-Sent Events. A user sees domain events about what they may read and the permission events of \
    their own sessions, an admin everything in the workspace. A key needs the scope `events:read` and sees what its user \
    or role may read; an operator key with `events:all` sees the domain events of all workspaces.\n\n\
    Each message has the event's name as `event`, an opaque `id`, and JSON as `data`: what is told of the event, with \
    `type`, `event_id`, `workspace_id` and `at`. A comment comes every 15 seconds. The stream ends with the credential or \
    the membership: come back with `Last-Event-ID`, and nothing is missed.";

pub(super) fn operations() -> Vec<Operation> {
    let schemas = RequestSchemas::default();
    let mut all = tools(&schemas);
    all.extend(actions());
    all.extend(confirmations(&schemas));
    all.extend(grants());
    all.push(events(&schemas));
    all
}

fn tools(schemas: &RequestSchemas) -> Vec<Operation> {
    let markdown = json!({ "type": "string" });
    vec![
        Operation::new("get", "/v1/tools", "list_tools", TOOLS, "The tools that this caller may be shown")
            .describe("Byte-stable for the same caller class and query: send `If-None-Match`.")
            .parameters(schemas.list_query.schema(), true)
            .header("If-None-Match", "The `ETag` of the list that is held already.", text())
            .answers(200, "The tools, ready for a model request.", shared("ToolList"))
            .empty(304, "The list is unchanged."),
        Operation::new("post", "/v1/tools", "list_tools_for_turn", TOOLS, "The same, with the user's words in a body")
            .describe("Use it where the tools depend on what the user said: a body stays out of logs, an address does not.")
            .body(schema_of::<ListRequest>())
            .answers(200, "The tools, ready for a model request.", shared("ToolList")),
        Operation::new("get", "/v1/tools/prompt", "get_prompt", TOOLS, "The catalogue for a system prompt")
            .describe("Text for models that are told of their tools in words. It names only what this caller may call.")
            .parameters(&schema_of::<PromptQuery>(), true)
            .header("If-None-Match", "The `ETag` of the text that is held already.", text())
            .answers_as(200, "The catalogue, by category.", "text/markdown", markdown)
            .empty(304, "The text is unchanged."),
        Operation::new("get", "/v1/tools/openapi", "get_tools_openapi", TOOLS, "The tools as an OpenAPI document")
            .describe("For programs that make tools of operations: only the actions that this caller may call.")
            .header("If-None-Match", "The `ETag` of the document that is held already.", text())
            .answers(200, "An OpenAPI 3.1 document.", json!({ "type": "object" }))
            .empty(304, "The document is unchanged."),
        Operation::new("post", "/v1/tools/search", "search_tools", TOOLS, "Find actions by what one wants to do")
            .describe("Plain words in, ranked actions out, each with how to call it; only what this caller may call.")
            .body(schema_of::<SearchRequest>())
            .answers(200, "What was found, best first.", shared("ToolSearch")),
        Operation::new("post", "/v1/tools/calls", "call_tools", TOOLS, "Run a model's tool calls, passed through unchanged")
            .describe("Calls run in order, and each is answered, whatever happened to it. A problem is about the frame alone.")
            .body(schema_of::<CallsRequest>())
            .answers(200, "An answer for each call.", shared("ToolAnswers")),
    ]
}

fn actions() -> Vec<Operation> {
    let any = json!({ "type": "object", "description": "The action's parameters." });
    vec![
        Operation::new(
            "get",
            "/v1/actions",
            "list_actions",
            ACTIONS,
            "The actions that this caller may call",
        )
        .describe("Metadata and schemas, for programs. Models are given `/v1/tools`.")
        .parameters(&schema_of::<ActionsQuery>(), true)
        .answers(200, "What each is, takes and gives.", shared("Actions")),
        Operation::new("get", "/v1/actions/{name}", "get_action", ACTIONS, "One action")
            .describe("403 where there is such an action and this caller may not call it.")
            .parameters(&Value::Null, false)
            .answers(200, "What it is, takes and gives.", shared("Action")),
        Operation::new("post", "/v1/actions/{name}", "call_action", ACTIONS, "Call an action by its name")
            .describe(
                "For programs that learn the name as they run; each action has a typed operation of its own.",
            )
            .parameters(&Value::Null, false)
            .body(any.clone())
            .answers(200, "It ran.", shared("Completed"))
            .answers(202, "It waits for a human; `Location` names the confirmation.", shared("Waiting"))
            .problems(&[409, 410, 501, 502, 504]),
        Operation::new(
            "post",
            "/v1/actions/{name}/check",
            "check_action",
            ACTIONS,
            "What a call would come to, without running it",
        )
        .describe("The body is the call's. Nothing runs, and nothing of the action's limit is spent.")
        .parameters(&Value::Null, false)
        .body(any)
        .answers(200, "The decision.", shared("Check")),
    ]
}

fn confirmations(schemas: &RequestSchemas) -> Vec<Operation> {
    let page = json!({
        "type": "object", "required": ["items", "next_cursor"],
        "properties": {
            "items": { "type": "array", "items": shared("Confirmation") },
            "next_cursor": { "type": ["string", "null"] },
        },
    });
    let mut all = vec![
        Operation::new(
            "get",
            "/v1/confirmations",
            "list_confirmations",
            CONFIRMATIONS,
            "Calls that wait or waited for a human, newest first",
        )
        .describe("One's own; an admin sees everyone's.")
        .parameters(schemas.confirmations.schema(), true)
        .answers(200, "Those that this caller may see.", page),
        Operation::new(
            "get",
            "/v1/confirmations/{id}",
            "get_confirmation",
            CONFIRMATIONS,
            "One of them, with its full arguments",
        )
        .describe("With `wait` the answer is held until somebody decides. A decided one carries what came of the call.")
        .parameters(schemas.wait.schema(), true)
        .answers(200, "As it is now, or once it is decided.", shared("Confirmation")),
    ];
    all.extend(decisions(schemas));
    all
}

fn decisions(schemas: &RequestSchemas) -> [Operation; 2] {
    [
        Operation::new(
            "post",
            "/v1/confirmations/{id}/approve",
            "approve_confirmation",
            CONFIRMATIONS,
            "Approve: the call runs through all gates again",
        )
        .describe(
            "A `typed` one takes two steps: the first answers with the phrase, the second must carry it. A service key with \
             `approvals:relay` relays the decision of the member whom `X-On-Behalf-Of` names: never of a call that the \
             same key made, and of a `typed` one, or with `four_eyes` on of any, only with that member's own token as \
             `user_token`. Other `arguments` of a `typed` one are given in the first step, kept and shown; the second may \
             repeat them, not change them.",
        )
        .parameters(&Value::Null, false)
        .body(schemas.approve.schema().clone())
        .answers(200, "It ran.", shared("Completed"))
        .answers(
            202,
            "The phrase must be typed; or the arguments were changed, and with four eyes somebody else decides about \
             them: `Location` names the new confirmation.",
            json!({ "anyOf": [shared("PhraseRequired"), shared("Waiting")] }),
        )
        .problems(&[409, 410, 501, 502, 504]),
        Operation::new(
            "post",
            "/v1/confirmations/{id}/deny",
            "deny_confirmation",
            CONFIRMATIONS,
            "Deny: the reason goes back to whoever asked",
        )
        .describe("The call never runs. A service key relays a denial as it relays an approval.")
        .parameters(&Value::Null, false)
        .body(schemas.deny.schema().clone())
        .answers(200, "As it is now.", shared("Confirmation"))
        .problems(&[409, 410]),
    ]
}

fn grants() -> Vec<Operation> {
    vec![
        Operation::new(
            "get",
            "/v1/sessions/{id}/grants",
            "list_session_grants",
            SESSIONS,
            "What runs without asking in a conversation",
        )
        .describe("One's own; an admin sees anyone's. The id is the one of `X-Session-Id`.")
        .parameters(&Value::Null, false)
        .answers(200, "Those that this caller may see.", shared("Grants")),
        Operation::new(
            "delete",
            "/v1/sessions/{id}/grants",
            "revoke_session_grants",
            SESSIONS,
            "Revoke all of a conversation: a person is asked again",
        )
        .describe("One's own; an admin revokes anyone's. How many they were comes back.")
        .parameters(&Value::Null, false)
        .answers(200, "They count no more.", shared("Revoked")),
        Operation::new(
            "delete",
            "/v1/sessions/{id}/grants/{grant_id}",
            "revoke_session_grant",
            SESSIONS,
            "Revoke one of them",
        )
        .describe("The next call that it covered asks a person again.")
        .parameters(&Value::Null, false)
        .answers(200, "It counts no more.", shared("Revoked")),
    ]
}

fn events(schemas: &RequestSchemas) -> Operation {
    Operation::new("get", "/v1/events", "stream_events", EVENTS, "What happens, as it happens")
        .describe(STREAM)
        .parameters(schemas.events.schema(), true)
        .header(
            "Last-Event-ID",
            "The `id` of the last event that was read; without it, what happens from now on.",
            text(),
        )
        .answers_as(200, "The stream.", "text/event-stream", text())
}

fn text() -> Value {
    json!({ "type": "string" })
}
