//! Open calls as callers see them.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_model::{ErrorCode, ExecutorKind, Id, OpenCallState, Outcome, Ts};
use toolcrib_registry::{Level, untrusted_sentence};
use toolcrib_store::open_calls::OpenCallRow;

use crate::catalog::Catalog;

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
    pub tool_format: Option<String>,
    /// How the call ended: `status`, and `description`, `output`, `output_fits`, `error` or `reason`; absent while it is
    /// open. Sensitive values are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-untrusted" = "outcomes of tools"))]
    pub result: Option<Value>,
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
            tool_format: row.tool_format.clone(),
            result: row.result.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        }
    }

    /// Returns status and body that the call would have been answered with if it had run here; `None` while it is open.
    pub fn answer(&self) -> Option<(u16, Value)> {
        let outcome = match self.state {
            OpenCallState::Ready | OpenCallState::Running => return None,
            OpenCallState::Succeeded => Outcome::Succeeded,
            OpenCallState::Failed => Outcome::Failed,
            OpenCallState::NotRun => Outcome::NotRun,
            OpenCallState::Unknown => Outcome::Unknown,
        };
        let result = self.result.clone().unwrap_or_default();
        Some(body(
            (self.executor, &self.action),
            Some(self.call_id),
            self.tool_call_id.as_deref(),
            outcome,
            &result,
        ))
    }
}

/// Returns status and body of a call that ended with this result.
pub(super) fn answer(row: &OpenCallRow, outcome: Outcome, result: &Value) -> (u16, Value) {
    body((row.executor, &row.action), Some(row.call_id), row.tool_call_id.as_deref(), outcome, result)
}

/// Returns status and body of a call that ended outside of this service. A read that was handed out has no `call_id` here.
pub(super) fn body(
    (executor, action): (ExecutorKind, &str),
    call_id: Option<Id>,
    tool_call_id: Option<&str>,
    outcome: Outcome,
    result: &Value,
) -> (u16, Value) {
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    let sentence = || crate::response::sentence(action, None, None);
    let mut body = if outcome == Outcome::Succeeded {
        json!({
            "ok": true, "status": "completed", "action": action,
            "description": text("description").map_or_else(sentence, str::to_owned),
            "data": result.get("output").cloned().unwrap_or(Value::Null),
        })
    } else {
        let (code, what) = failure(executor, outcome);
        let why = text("error").or(text("reason")).map(|why| format!(": {why}")).unwrap_or_default();
        json!({
            "type": format!("/docs/errors/{}", code.as_str()), "title": code.title(), "status": code.status(),
            "code": code, "detail": format!("{what}{why}"), "action": action, "errors": [],
        })
    };
    if let Some(id) = call_id {
        body["call_id"] = json!(id);
    }
    if outcome != Outcome::Succeeded && text("error").is_some() {
        // The detail quotes what the application reported.
        body["untrusted"] = json!(untrusted_sentence(&["outcomes of tools"]));
    }
    if let Some(id) = tool_call_id {
        body["tool_call_id"] = id.into();
    }
    let status =
        body.get("code").and_then(Value::as_str).and_then(ErrorCode::parse).map_or(200, ErrorCode::status);
    (status, body)
}

/// Returns the error code of an end that is no success, and what it means.
fn failure(executor: ExecutorKind, outcome: Outcome) -> (ErrorCode, &'static str) {
    let is_client = executor == ExecutorKind::Client;
    match outcome {
        Outcome::NotRun => (ErrorCode::Void, "the application did not run the call"),
        Outcome::Unknown if is_client => {
            (ErrorCode::OutcomeUnknown, "the application did not report how the call ended")
        }
        Outcome::Unknown => (ErrorCode::OutcomeUnknown, "nobody knows whether the call was done"),
        _ if is_client => (ErrorCode::UpstreamError, "the application reports that the call failed"),
        _ => (ErrorCode::UpstreamError, "the call failed"),
    }
}
