//! Runs the tool calls of one request in order.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_engine::{
    Arguments, Authenticated, CallRequest, ConfirmationView, ResponseBody, ToRun, ToolCall,
};
use toolcrib_model::{ConfirmationStatus, Id};
use toolcrib_registry::{ActionKind, Answer, Format, RawArguments, render_messages};

use super::{CallsAnswer, Unhandled};
use crate::{
    call_text::{envelope, is_to_run, read},
    confirmations::{outcome, unrun, until_decided},
    request_meta::RequestMeta,
    state::HttpState,
};

/// One tool call.
pub(crate) struct BatchCall {
    pub id: String,
    pub name: String,
    pub arguments: RawArguments,
}

/// The tool calls of one request and its options.
pub(crate) struct ToolCallBatch {
    pub authenticated: Authenticated,
    pub key: Option<String>,
    pub meta: RequestMeta,
    pub format: Format,
    pub wait: u64,
    pub calls: Vec<BatchCall>,
    pub unhandled: Vec<Unhandled>,
}

/// The result of one call.
struct Outcome {
    id: String,
    name: String,
    result: Value,
    text: Value,
    is_error: bool,
    /// The confirmation that the call waits for.
    waits_for: Option<Id>,
}

/// Runs every call, one after another. A call that is refused or waits does not stop the next ones.
pub(crate) async fn run(state: Arc<HttpState>, batch: ToolCallBatch) -> CallsAnswer {
    let mut outcomes = Vec::with_capacity(batch.calls.len());
    for (index, call) in batch.calls.iter().enumerate() {
        outcomes.push(one(&state, &batch, index, call).await);
    }
    if batch.wait > 0 {
        wait_for_decisions(&state, &batch, &mut outcomes).await;
    }
    let mut results = Vec::with_capacity(outcomes.len());
    let mut answers = Vec::with_capacity(outcomes.len());
    for Outcome { id, name, result, text, is_error, .. } in outcomes {
        results.push(result);
        answers.push(Answer { id, name, content: text.to_string(), value: text, is_error });
    }
    let to_run = results.iter().filter(|result| is_to_run(result)).cloned().collect();
    let messages = render_messages(batch.format, &answers);
    CallsAnswer { messages, results, to_run, unhandled: batch.unhandled }
}

async fn one(state: &HttpState, batch: &ToolCallBatch, index: usize, call: &BatchCall) -> Outcome {
    let request = CallRequest {
        surface: batch.authenticated.surface(),
        authenticated: batch.authenticated.clone(),
        offers: ActionKind::Tool,
        name: call.name.clone(),
        arguments: match &call.arguments {
            RawArguments::Text(text) => Arguments::Text(text.clone()),
            RawArguments::Json(value) => Arguments::Json(value.clone()),
        },
        idempotency_key: batch.key.as_ref().map(|key| format!("{key}:{index}")),
        tool_call: Some(ToolCall { id: call.id.clone(), format: batch.format.as_str() }),
        request_id: batch.meta.request_id.clone(),
        trace_id: batch.meta.trace_id.clone(),
    };
    let answer = state.engine().call(request).await;
    let waits_for = match &answer.body {
        ResponseBody::Waiting(waiting) => Some(waiting.confirmation.id),
        _ => None,
    };
    let body = answer.to_value();
    let (text, is_error) = read(state.catalog().registry(), &body, answer.ends());
    let result = envelope(body, &call.name, &call.id);
    Outcome { id: call.id.clone(), name: call.name.clone(), result, text, is_error, waits_for }
}

/// Replaces the result of a call that was approved meanwhile and that the application runs.
async fn started(state: &HttpState, batch: &ToolCallBatch, view: &ConfirmationView, outcome: &mut Outcome) {
    let Some(call_id) = view.call_id else { return };
    let Ok(call) = state.engine().started_call(&batch.authenticated, call_id).await else { return };
    let call = ToRun { tool_call_id: Some(outcome.id.clone()), ..call };
    let body = serde_json::to_value(call).unwrap_or_default();
    (outcome.text, outcome.is_error) = read(state.catalog().registry(), &body, &[]);
    outcome.result = envelope(body, &view.action, &outcome.id);
}

/// Waits for the decisions on waiting calls and replaces the results of those that were decided in time. The
/// limit of `turn.wait` seconds is for all calls together, because they are waited for one after another.
async fn wait_for_decisions(state: &HttpState, batch: &ToolCallBatch, outcomes: &mut [Outcome]) {
    let end = tokio::time::Instant::now() + std::time::Duration::from_secs(batch.wait);
    for outcome in outcomes {
        let Some(id) = outcome.waits_for else { continue };
        let left = end.saturating_duration_since(tokio::time::Instant::now()).as_secs();
        let Ok(view) = until_decided(state.engine(), &batch.authenticated, id, left).await else { continue };
        if view.status == ConfirmationStatus::Running {
            started(state, batch, &view, outcome).await;
            continue;
        }
        if view.status.is_open() {
            continue;
        }
        (outcome.text, outcome.is_error) = self::outcome(state.catalog().registry(), &view);
        let mut body = view.result.clone().unwrap_or_else(|| unrun(&view));
        // Two equal calls share one confirmation. Each result has the ID of its own tool call.
        if let Some(own) = body.get_mut("tool_call_id") {
            *own = outcome.id.clone().into();
        }
        outcome.result = envelope(body, &view.action, &outcome.id);
    }
}
