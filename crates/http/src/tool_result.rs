//! The result of one tool call among those of a turn, and the message that tells it to the model.

use serde_json::{Value, json};
use toolcrib_engine::{Outcome, Problem};
use toolcrib_registry::{ActionRegistry, Answer};

/// Returns the result of a tool call. Every result has `ok`, `status` and `action`, so a problem is wrapped.
pub(crate) fn result(outcome: &Outcome, name: &str, tool_call_id: &str) -> Value {
    let Outcome::Refused(problem) = outcome else { return outcome.to_value() };
    json!({
        "ok": false,
        "status": problem.verdict(),
        "call_id": problem.call_id,
        "action": problem.action.as_deref().unwrap_or(name),
        "tool_call_id": tool_call_id,
        "error": problem,
    })
}

/// Returns the result of a report that was not recorded.
pub(crate) fn unrecorded(problem: &Problem, call_id: &str) -> Value {
    json!({ "ok": false, "status": problem.verdict(), "call_id": call_id, "action": null, "error": problem })
}

/// Returns the message that tells the outcome to the model. `name` is that of the tool that the model called.
pub(crate) fn answer(registry: &ActionRegistry, outcome: &Outcome, id: &str, name: &str) -> Answer {
    let value = outcome.for_model(registry);
    Answer {
        id: id.to_owned(),
        name: name.to_owned(),
        content: value.to_string(),
        value,
        is_error: outcome.is_error(),
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_engine::ActionError;
    use toolcrib_model::ErrorCode;

    use super::*;

    #[test]
    fn a_problem_is_wrapped() {
        let error = ActionError::new(ErrorCode::InvalidArguments, "`name` is required");
        let outcome = Outcome::Refused(Box::new(Problem::new(&error, "r")));
        let result = result(&outcome, "platform_x", "call_1");
        assert_eq!((&result["ok"], &result["action"]), (&json!(false), &json!("platform_x")));
        assert_eq!((&result["status"], &result["tool_call_id"]), (&json!("refused"), &json!("call_1")));
        assert_eq!(result["error"]["code"], "invalid_arguments");
    }
}
