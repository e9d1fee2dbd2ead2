//! Converts the responses of calls to the protocol's results, and errors that are not tool results to its errors.

use std::collections::BTreeMap;

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, InputRequest, InputRequiredResult,
    },
};
use toolcrib_engine::{ActionError, ConfirmationView, Outcome, Problem};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ActionRegistry, problem_message, waiting};

/// The key of the input request for an approval.
pub const APPROVAL: &str = "approval";

/// Returns the result of a call with this outcome: the text for the model. There is no `structuredContent`, because
/// tools have no `outputSchema`, and clients that hand on only that would show a model the data uncut and unmarked.
pub fn of_outcome(registry: &ActionRegistry, outcome: &Outcome) -> CallToolResult {
    // A waiting call is marked as an error, because nothing was done yet.
    let is_error = outcome.is_error() || matches!(outcome, Outcome::Waiting(_));
    let content = vec![ContentBlock::text(outcome.for_model(registry).to_string())];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

/// Returns the result of a call that still waits.
pub fn of_waiting(view: &ConfirmationView) -> CallToolResult {
    let text = waiting(&view.id.to_string(), &view.approve_url, false).to_string();
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns the result that asks the client to open the approval page for a person. The client's response to it is not
/// an approval.
pub fn ask_person(
    id: Id,
    url: &str,
    description: &str,
    warning: Option<&str>,
    state: String,
) -> InputRequiredResult {
    let warning = warning.map(|warning| format!(" {warning}")).unwrap_or_default();
    let params = ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: format!("{description}: a person must approve this call first.{warning}"),
        url: url.to_owned(),
        elicitation_id: id.to_string(),
    };
    let request = InputRequest::Elicitation(ElicitRequest::new(params));
    InputRequiredResult::new(Some(BTreeMap::from([(APPROVAL.to_owned(), request)])), Some(state))
}

/// Returns the protocol error of an error that is no tool result.
pub fn protocol(error: &ActionError, request_id: &str) -> ErrorData {
    error.log(request_id);
    of_problem(&Problem::new(error, request_id))
}

/// Returns the protocol error of a problem. Its `data` is the problem that the HTTP API would return.
pub fn of_problem(problem: &Problem) -> ErrorData {
    let message = problem_message(problem.code, &problem.detail, problem.hint.as_deref());
    // Serialization can't fail, because all keys are strings.
    let data = serde_json::to_value(problem).ok();
    match problem.code {
        ErrorCode::UnknownAction | ErrorCode::InvalidArguments => ErrorData::invalid_params(message, data),
        code if code.status() >= 500 => ErrorData::internal_error(message, data),
        _ => ErrorData::invalid_request(message, data),
    }
}

/// Returns the error for a state that does not belong to this call or has expired.
pub fn bad_state() -> ErrorData {
    ErrorData::invalid_params(
        "`requestState` belongs to another call or has expired; make the call again without it",
        None,
    )
}
