//! Refusals outside of any tool, as errors of the protocol. Their `data` is the problem that the HTTP API would give.

use rmcp::ErrorData;
use serde_json::Value;
use toolcrib_engine::{ActionError, Problem};
use toolcrib_model::ErrorCode;
use toolcrib_registry::problem_message;

/// The error of a refusal.
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

/// The error of a problem that a call gave.
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

/// What a client sent back as a state is none of this call.
pub fn bad_state() -> ErrorData {
    ErrorData::invalid_params(
        "`requestState` belongs to another call or has expired; make the call again without it",
        None,
    )
}
