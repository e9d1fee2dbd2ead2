//! Converts errors that are not tool results to protocol errors. `data` is the problem that the HTTP API
//! would return.

use rmcp::ErrorData;
use toolcrib_engine::{ActionError, Problem};
use toolcrib_model::ErrorCode;
use toolcrib_registry::problem_message;

pub fn protocol(error: &ActionError, request_id: &str) -> ErrorData {
    error.log(request_id);
    of_problem(&Problem::new(error, request_id))
}

/// Converts the problem of a call to a protocol error.
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
