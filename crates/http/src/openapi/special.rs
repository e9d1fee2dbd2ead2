//! Describes the routes for callers that are neither an action nor a row of the route table.

use serde_json::{Value, json};
use toolcrib_engine::lists::ListRequest;
use toolcrib_registry::schema_of;

use super::{
    components::{page_of, shared, text},
    open_calls,
    operation::Operation,
};
use crate::requests::{ActionsQuery, CallsRequest, PromptQuery, RequestSchemas, SearchRequest};

const TOOLS: &str = "Tools";
const ACTIONS: &str = "Actions";
const CONFIRMATIONS: &str = "Confirmations";
const SESSIONS: &str = "Sessions";
const EVENTS: &str = "Events";
const ASSISTANT: &str = "Assistant";

/// The description of the event stream: visibility and message format.
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
    all.extend(open_calls::operations(&schemas));
    all.extend(grants());
    all.push(events(&schemas));
    all.extend(chat(&schemas));
    all
}

fn tools(schemas: &RequestSchemas) -> Vec<Operation> {
    vec![
        Operation::new("get", "/v1/tools", "list_tools", TOOLS, "List the tools of this caller")
            .describe("The same bytes for the same permissions and query; send `If-None-Match`.")
            .parameters(schemas.list_query.schema(), true)
            .header("If-None-Match", "The `ETag` of the list that the client has.", text())
            .answers(200, "The tools, ready for a model request.", shared("ToolList"))
            .empty(304, "The list is unchanged."),
        Operation::new("post", "/v1/tools", "list_tools_for_turn", TOOLS, "List the tools of this caller for the user's words")
            .describe("Use it when the tools depend on the user's words: bodies are not logged, URLs are.")
            .body(schema_of::<ListRequest>())
            .answers(200, "The tools, ready for a model request.", shared("ToolList")),
        Operation::new("get", "/v1/tools/prompt", "get_prompt", TOOLS, "Get the catalogue for a system prompt")
            .describe("Text for models that learn their tools from the prompt. It names only actions that this caller may call.")
            .parameters(&schema_of::<PromptQuery>(), true)
            .header("If-None-Match", "The `ETag` of the text that the client has.", text())
            .answers_as(200, "The catalogue, by category.", "text/markdown", text())
            .empty(304, "The text is unchanged."),
        Operation::new("get", "/v1/tools/openapi", "get_tools_openapi", TOOLS, "Get the tools as an OpenAPI document")
            .describe("For programs that make tools from OpenAPI operations. It has only the actions that this caller may call.")
            .header("If-None-Match", "The `ETag` of the document that the client has.", text())
            .answers(200, "An OpenAPI 3.1 document.", json!({ "type": "object" }))
            .empty(304, "The document is unchanged."),
        Operation::new("post", "/v1/tools/search", "search_tools", TOOLS, "Search actions by intent")
            .describe("Returns ranked actions that this caller may call, each with an example call.")
            .body(schema_of::<SearchRequest>())
            .answers(200, "Matching actions, best first.", shared("ToolSearch")),
        Operation::new("post", "/v1/tools/calls", "call_tools", TOOLS, "Run a model's tool calls, passed through unchanged")
            .describe("Calls run in order, and each has a response of its own. A problem response concerns the frame only.")
            .body(schema_of::<CallsRequest>())
            .answers(200, "A response for each call.", shared("ToolAnswers")),
    ]
}

fn actions() -> Vec<Operation> {
    let any = json!({ "type": "object", "description": "The action's parameters." });
    vec![
        Operation::new("get", "/v1/actions", "list_actions", ACTIONS, "List the actions of this caller")
            .describe("Metadata and schemas, for programs. Models use `/v1/tools`.")
            .parameters(&schema_of::<ActionsQuery>(), true)
            .answers(
                200,
                "Actions with their metadata and schemas; with `fields=summary`, without schemas and longer texts.",
                json!({ "anyOf": [shared("Actions"), shared("ActionSummaries")] }),
            ),
        Operation::new("get", "/v1/actions/{name}", "get_action", ACTIONS, "One action")
            .describe("403 if the action exists and this caller may not call it.")
            .parameters(&Value::Null, false)
            .answers(200, "The action with its metadata and schemas.", shared("Action")),
        Operation::new("post", "/v1/actions/{name}", "call_action", ACTIONS, "Call an action by its name")
            .describe(
                "For programs that choose the action at run time. Each action also has a typed operation.",
            )
            .parameters(&Value::Null, false)
            .body(any.clone())
            .answers(200, "It ran.", shared("Completed"))
            .answers(
                202,
                "The call waits for a person, or the caller runs it; `Location` is the URL of the confirmation or of the \
                 call.",
                json!({ "anyOf": [shared("Waiting"), shared("ToRun")] }),
            )
            .problems(&[409, 410, 501, 502, 504]),
        Operation::new(
            "post",
            "/v1/actions/{name}/check",
            "check_action",
            ACTIONS,
            "Check a call without running it",
        )
        .describe("The body is that of the call. The action does not run, and its rate limit is not used.")
        .parameters(&Value::Null, false)
        .body(any)
        .answers(200, "The decision.", shared("Check")),
    ]
}

fn confirmations(schemas: &RequestSchemas) -> Vec<Operation> {
    let mut all = vec![
        Operation::new(
            "get",
            "/v1/confirmations",
            "list_confirmations",
            CONFIRMATIONS,
            "List confirmations, newest first",
        )
        .describe("Lists the caller's own confirmations; an admin sees all.")
        .parameters(schemas.confirmations.schema(), true)
        .answers(200, "Confirmations that this caller may see.", page_of("Confirmation")),
        Operation::new(
            "get",
            "/v1/confirmations/{id}",
            "get_confirmation",
            CONFIRMATIONS,
            "Get one confirmation with its full arguments",
        )
        .describe("With `wait` the response is held until a decision. A decided confirmation contains the result of the call.")
        .parameters(schemas.wait.schema(), true)
        .answers(200, "The confirmation, now or after the decision.", shared("Confirmation")),
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
            "Approve a call; it passes all checks again",
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
             them: `Location` names the new confirmation; or the requester runs the call now: `Location` names the call.",
            json!({ "anyOf": [shared("PhraseRequired"), shared("Waiting"), shared("ToRun")] }),
        )
        .problems(&[409, 410, 501, 502, 504]),
        Operation::new(
            "post",
            "/v1/confirmations/{id}/deny",
            "deny_confirmation",
            CONFIRMATIONS,
            "Deny a call; the requester receives the reason",
        )
        .describe("The call never runs. A service key may relay a denial as it may relay an approval.")
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
            "List the session grants of a session",
        )
        .describe("Lists the caller's own grants; an admin sees all. The ID is the value of `X-Session-Id`.")
        .parameters(&Value::Null, false)
        .answers(200, "Those that this caller may see.", shared("Grants")),
        Operation::new(
            "delete",
            "/v1/sessions/{id}/grants",
            "revoke_session_grants",
            SESSIONS,
            "Revoke all session grants of a session",
        )
        .describe("Revokes the caller's own grants; an admin may revoke anyone's. Returns their number.")
        .parameters(&Value::Null, false)
        .answers(200, "The grants are revoked.", shared("Revoked")),
        Operation::new(
            "delete",
            "/v1/sessions/{id}/grants/{grant_id}",
            "revoke_session_grant",
            SESSIONS,
            "Revoke one session grant",
        )
        .describe("The next call that it covered needs a confirmation again.")
        .parameters(&Value::Null, false)
        .answers(200, "The grant is revoked.", shared("Revoked")),
    ]
}

fn events(schemas: &RequestSchemas) -> Operation {
    Operation::new("get", "/v1/events", "stream_events", EVENTS, "Stream events")
        .describe(STREAM)
        .parameters(schemas.events.schema(), true)
        .header(
            "Last-Event-ID",
            "The `id` of the last event that the client read. Without it the stream starts with new events.",
            text(),
        )
        .answers_as(200, "The stream.", "text/event-stream", text())
}

fn chat(schemas: &RequestSchemas) -> [Operation; 2] {
    [
        Operation::new("post", "/v1/assistant/chat", "chat", ASSISTANT, "Send a message, or decisions, and stream the answer")
            .describe(
                "For `useChat` of the AI SDK 6 and 7. The last message counts: a user's starts a run; the assistant's own goes on after its last call, and carries out the decisions on its approvals. A client that hangs up changes nothing.",
            )
            .body(schemas.chat.schema().clone())
            .answers_as(200, "A UI message stream.", "text/event-stream", text())
            .problems(&[409, 410, 501, 502]),
        Operation::new(
            "get",
            "/v1/assistant/chat/{thread}/stream",
            "resume_chat",
            ASSISTANT,
            "Stream the run of a thread from its start",
        )
        .describe("For `useChat` with `resume`: 204 for a thread in which nothing runs, and for one that does not exist yet.")
        .parameters(&Value::Null, false)
        .answers_as(200, "A UI message stream.", "text/event-stream", text())
        .empty(204, "Nothing runs in this thread.")
        .problems(&[501]),
    ]
}
