//! Converts errors that are not tool results to protocol errors. `data` is the problem that the HTTP API
//! would return.

use rmcp::ErrorData;
use serde_json::Value;
use toolcrib_engine::{ActionError, Problem};
use toolcrib_model::ErrorCode;
use toolcrib_registry::problem_message;

/// Converts an action error to a protocol error.
pub fn protocol(error: &ActionError, request_id: &str) -> ErrorData {
    if let Some(cause) = &error.internal {
        let code = error.code.as_str();
        if error.code.status() >= 500 {
            tracing::error!(request_id, code, cause, "request failed");
        } else {
            tracing::debug!(request_id, code, cause, "request refused");
        }
    }
    let problem = serde_json::to_value(Problem::new(error, request_id)).unwrap_or_default();
    of_problem(error.code, problem)
}

/// Converts the problem of a call to a protocol error.
pub fn of_problem(code: ErrorCode, problem: Value) -> ErrorData {
    let part = |key: &str| problem.get(key).and_then(Value::as_str);
    let message = problem_message(code, part("detail").unwrap_or_default(), part("hint"));
    match code {
        ErrorCode::UnknownAction | ErrorCode::InvalidArguments => {
            ErrorData::invalid_params(message, Some(problem))
        }
        _ if code.status() >= 500 => ErrorData::internal_error(message, Some(problem)),
        _ => ErrorData::invalid_request(message, Some(problem)),
    }
}

/// Returns the error for a state that does not belong to this call or has expired.
pub fn bad_state() -> ErrorData {
    ErrorData::invalid_params(
        "`requestState` belongs to another call or has expired; make the call again without it",
        None,
    )
}
