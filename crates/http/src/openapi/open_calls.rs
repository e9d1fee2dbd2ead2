//! Describes the routes for calls that the caller runs.

use serde_json::Value;
use toolcrib_registry::schema_of;

use super::{
    components::{page_of, shared},
    operation::Operation,
};
use crate::requests::{OutcomesRequest, RequestSchemas};

const CALLS: &str = "Calls";

pub(super) fn operations(schemas: &RequestSchemas) -> Vec<Operation> {
    let mut all = Vec::from(reads(schemas));
    all.extend(steps(schemas));
    all.push(outcomes());
    all
}

fn reads(schemas: &RequestSchemas) -> [Operation; 2] {
    [
        Operation::new("get", "/v1/calls", "list_calls", CALLS, "List calls that run outside of the service")
            .describe("Lists the caller's own calls and calls on their behalf, newest first; an admin sees all.")
            .parameters(schemas.open_calls.schema(), true)
            .answers(200, "Calls that this caller may see.", page_of("OpenCall")),
        Operation::new("get", "/v1/calls/{id}", "get_call", CALLS, "Get one call")
            .describe("With `wait` the response is held until the call has ended. A call that has ended contains its result.")
            .parameters(schemas.open_call.schema(), true)
            .answers(200, "The call, now or after its end.", shared("OpenCall")),
    ]
}

fn steps(schemas: &RequestSchemas) -> [Operation; 3] {
    [
        Operation::new("post", "/v1/calls/{id}/claim", "claim_call", CALLS, "Claim a call before running it")
            .describe(
                "For the caller who made the call, and for its user. One claim wins: run exactly these arguments, and report \
                 the outcome by `end_by`. A call that is no longer allowed is refused and ends as `not_run`.",
            )
            .parameters(&Value::Null, false)
            .answers(200, "The call is yours to run.", shared("ClaimedCall"))
            .problems(&[409, 410]),
        Operation::new("post", "/v1/calls/{id}/outcome", "report_call", CALLS, "Report the outcome of a claimed call")
            .describe(
                "For the caller who made the call, and for its user. The same report again gets the same answer; another one \
                 is refused. A report is taken until 24 hours after `end_by`.",
            )
            .parameters(&Value::Null, false)
            .body(schemas.report.schema().clone())
            .answers(200, "The call has ended.", shared("OpenCall"))
            .problems(&[409, 410]),
        Operation::new("post", "/v1/calls/{id}/revoke", "revoke_call", CALLS, "Revoke a call that nobody has claimed")
            .describe("For the user on whose behalf the call was made, and for admins. The call never runs.")
            .parameters(&Value::Null, false)
            .answers(200, "The call has ended as `not_run`.", shared("OpenCall"))
            .problems(&[409]),
    ]
}

fn outcomes() -> Operation {
    Operation::new(
        "post",
        "/v1/tools/outcomes",
        "report_outcomes",
        CALLS,
        "Report the outcomes of a model's tool calls that the application ran",
    )
    .describe(
        "An outcome names a claimed call by its `call_id`, and is recorded. The outcome of a read (`claim: false`) names \
         `action` and `tool_call_id` instead: it is only formatted. A problem response concerns the frame only.",
    )
    .body(schema_of::<OutcomesRequest>())
    .answers(200, "The messages for the conversation, and a result for each outcome.", shared("Outcomes"))
}
