//! Open calls as callers see them.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use toolcrib_model::{self as model, ErrorCode, ExecutorKind, Id, OpenCallState, Ts};
use toolcrib_registry::{Format, Level, untrusted_sentence};
use toolcrib_store::open_calls::OpenCallRow;

use crate::{
    base::ActionError,
    catalog::Catalog,
    response::{Completed, Outcome, Problem},
};

/// A call that runs, or ran, outside of this service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpenCallView {
    /// Id of the call, and of its audit row.
    pub call_id: Id,
    /// Name of the tool.
    pub action: String,
    /// Permission level of the tool; absent if the tool no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_level: Option<Level>,
    /// Where the call is.
    pub state: OpenCallState,
    /// What runs the call.
    pub executor: ExecutorKind,
    /// Kind of the principal that made the call: `user`, `agent` or `service`.
    pub principal_kind: String,
    /// Principal that made the call.
    pub principal_id: Id,
    /// Member on whose behalf the call was made.
    pub user_id: Option<Id>,
    /// Conversation of the call.
    pub session: Option<String>,
    /// Time of the call.
    pub created_at: Ts,
    /// Time until which the call can be claimed.
    pub claim_by: Option<Ts>,
    /// Time of the claim.
    pub claimed_at: Option<Ts>,
    /// Time by which the outcome must be reported; absent until the call is claimed.
    pub end_by: Option<Ts>,
    /// Time of the end or of a late report.
    pub ended_at: Option<Ts>,
    /// Confirmation that let the call run.
    pub confirmation_id: Option<Id>,
    /// Provider's id of the tool call.
    pub tool_call_id: Option<String>,
    /// Provider's format of the tool call.
    pub tool_format: Option<Format>,
    /// How the call ended; absent while it is open. Sensitive values are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-untrusted" = "outcomes of tools"))]
    pub result: Option<CallResult>,
}

/// How a call ended that ran outside of this service.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CallResult {
    /// Whether it succeeded.
    pub status: model::Outcome,
    /// Why it ended without a report, or `late` for a late one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One sentence about the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the tool returned.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub output: Option<Value>,
    /// Whether the output matches the tool's output schema; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_fits: Option<bool>,
    /// Why the call failed or did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reads `null` as an output that is null, not as none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl CallResult {
    /// Makes a result that says no more than how the call ended.
    pub(crate) fn new(status: model::Outcome) -> Self {
        Self { status, reason: None, description: None, output: None, output_fits: None, error: None }
    }
}

impl OpenCallView {
    pub(super) fn of(catalog: &Catalog, row: &OpenCallRow) -> Self {
        let meta = catalog.registry().get(&row.action);
        Self {
            call_id: row.call_id,
            action: row.action.clone(),
            permission_level: meta.map(|meta| meta.spec.level),
            state: row.state,
            executor: row.executor,
            principal_kind: row.principal_kind.clone(),
            principal_id: row.principal_id,
            user_id: row.user_id,
            session: row.session.clone(),
            created_at: row.created_at,
            claim_by: row.claim_by.map(Ts::from_micros),
            claimed_at: row.claimed_at.map(Ts::from_micros),
            end_by: row.end_by.map(Ts::from_micros),
            ended_at: row.ended_at.map(Ts::from_micros),
            confirmation_id: row.confirmation_id,
            tool_call_id: row.tool_call_id.clone(),
            tool_format: row.tool_format.as_deref().and_then(|word| word.parse().ok()),
            result: row.result.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        }
    }

    /// Returns what the call would have been answered with if it had run here; `None` while it is open.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.state.is_open() {
            return None;
        }
        let (call_id, tool_call_id) = (Some(self.call_id), self.tool_call_id.as_deref());
        Some(outcome(self.executor, &self.action, call_id, tool_call_id, self.result.as_ref()?))
    }
}

/// Returns the outcome of a call that ended outside of this service. A read that was handed out has no `call_id` here.
pub(crate) fn outcome(
    executor: ExecutorKind,
    action: &str,
    call_id: Option<Id>,
    tool_call_id: Option<&str>,
    result: &CallResult,
) -> Outcome {
    let tool_call_id = tool_call_id.map(str::to_owned);
    if result.status == model::Outcome::Succeeded {
        let sentence = || crate::response::sentence(action, None, None);
        let description = result.description.clone().unwrap_or_else(sentence);
        let output = result.output.as_ref().unwrap_or(&Value::Null);
        let done = Completed::reported(action, description, output);
        return Outcome::Completed(Box::new(Completed { call_id, tool_call_id, ..done }));
    }
    let (code, what) = failure(executor, result.status);
    let cause = result.error.as_ref().or(result.reason.as_ref());
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    let error = ActionError::new(code, format!("{what}{cause}"));
    let problem = Problem { action: Some(action.to_owned()), call_id, tool_call_id, ..Problem::of(&error) };
    // The detail quotes what the application reported.
    let untrusted = result.error.as_ref().and_then(|_| untrusted_sentence(&["outcomes of tools"]));
    Outcome::Refused(Box::new(Problem { untrusted, ..problem }))
}

/// Returns the error code of an end that is no success, and what it means.
fn failure(executor: ExecutorKind, outcome: model::Outcome) -> (ErrorCode, &'static str) {
    let is_client = executor == ExecutorKind::Client;
    match outcome {
        model::Outcome::NotRun => (ErrorCode::Void, "the application did not run the call"),
        model::Outcome::Unknown if is_client => {
            (ErrorCode::OutcomeUnknown, "the application did not report how the call ended")
        }
        model::Outcome::Unknown => (ErrorCode::OutcomeUnknown, "nobody knows whether the call was done"),
        _ if is_client => (ErrorCode::UpstreamError, "the application reports that the call failed"),
        _ => (ErrorCode::UpstreamError, "the call failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_who_was_to_run_the_call() {
        let said = |executor, outcome| failure(executor, outcome).1;
        for outcome in [model::Outcome::Failed, model::Outcome::Unknown] {
            assert!(said(ExecutorKind::Client, outcome).starts_with("the application"), "{outcome:?}");
            for elsewhere in [ExecutorKind::Http, ExecutorKind::Mcp] {
                assert!(!said(elsewhere, outcome).contains("application"), "{outcome:?}");
            }
        }
    }
}
