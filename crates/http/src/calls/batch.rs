//! Runs the tool calls of one request in order.

use std::{collections::HashSet, sync::Arc};

use toolcrib_auth::Authenticated;
use toolcrib_engine::{
    ActionError, Arguments, CallKey, CallRequest, ConfirmationView, Outcome, Problem, ToolCall,
};
use toolcrib_model::{ConfirmationStatus, ErrorCode, Id};
use toolcrib_registry::{ActionKind, ArgError, Format, RawArguments, render_messages};

use super::{CallsAnswer, Unhandled};
use crate::{request_meta::RequestMeta, state::HttpState, tool_result};

pub(crate) struct BatchCall {
    pub id: String,
    pub name: String,
    /// What is wrong with the call if it has no arguments that could be read.
    pub arguments: Result<RawArguments, ArgError>,
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

/// A call that was made, and how it ended.
struct CallEnd<'b> {
    call: &'b BatchCall,
    /// The name of the action, once it is known.
    name: String,
    outcome: Outcome,
}

/// Runs every call, one after another. A call that is refused or waits does not stop the next ones.
pub(crate) async fn run(state: Arc<HttpState>, batch: ToolCallBatch) -> CallsAnswer {
    let mut ends = Vec::with_capacity(batch.calls.len());
    for (index, call) in batch.calls.iter().enumerate() {
        let outcome = one(&state, &batch, index, call).await;
        ends.push(CallEnd { call, name: call.name.clone(), outcome });
    }
    wait_for_decisions(&state, &batch, &mut ends).await;
    let registry = state.catalog().registry();
    let result = |end: &CallEnd<'_>| tool_result::result(&end.outcome, &end.name, &end.call.id);
    let answer =
        |end: &CallEnd<'_>| tool_result::answer(registry, &end.outcome, &end.call.id, &end.call.name);
    let is_to_run = |end: &&CallEnd<'_>| matches!(end.outcome, Outcome::ToRun(_));
    CallsAnswer {
        messages: render_messages(batch.format, &ends.iter().map(answer).collect::<Vec<_>>()),
        results: ends.iter().map(result).collect(),
        to_run: ends.iter().filter(is_to_run).map(result).collect(),
        unhandled: batch.unhandled,
    }
}

async fn one(state: &HttpState, batch: &ToolCallBatch, index: usize, call: &BatchCall) -> Outcome {
    let arguments = match &call.arguments {
        Ok(RawArguments::Text(text)) => Arguments::Text(text.clone()),
        Ok(RawArguments::Json(value)) => Arguments::Json(value.clone()),
        Err(error) => return invalid(batch, call, error.clone()),
    };
    let request = CallRequest {
        surface: batch.authenticated.surface(),
        authenticated: batch.authenticated.clone(),
        offers: ActionKind::Tool,
        name: call.name.clone(),
        arguments,
        idempotency_key: batch.key.as_ref().map(|key| CallKey::Header(format!("{key}:{index}"))),
        tool_call: Some(ToolCall { id: call.id.clone(), format: batch.format }),
        request_id: batch.meta.request_id.clone(),
        trace_id: batch.meta.trace_id.clone(),
    };
    state.engine().call(request).await.outcome
}

/// Refuses a call that can't be read. The others of the turn run.
fn invalid(batch: &ToolCallBatch, call: &BatchCall, error: ArgError) -> Outcome {
    let mut malformed = ActionError::new(ErrorCode::MalformedRequest, error.located());
    malformed.errors = vec![error];
    let problem = Problem::new(&malformed, &batch.meta.request_id);
    let action = (!call.name.is_empty()).then(|| call.name.clone());
    Outcome::Refused(Box::new(Problem { action, ..problem }))
}

/// Waits for the decisions on waiting calls and replaces the outcomes of those that were decided in time. The
/// limit of `batch.wait` seconds is for all calls together, because they are waited for one after another. A call that
/// a later one of the turn superseded is decided, so that no message says that a person is asked about it.
async fn wait_for_decisions(state: &HttpState, batch: &ToolCallBatch, ends: &mut [CallEnd<'_>]) {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(batch.wait);
    let superseded: HashSet<Id> = ends.iter().flat_map(|end| superseded_by(&end.outcome)).copied().collect();
    for end in ends {
        let Outcome::Waiting(waiting) = &end.outcome else { continue };
        let (id, call_id) = (waiting.confirmation.id, waiting.call_id);
        if batch.wait == 0 && !superseded.contains(&id) {
            continue;
        }
        let left = deadline.saturating_duration_since(tokio::time::Instant::now()).as_secs();
        let waiter = state.waiter(&batch.authenticated, left);
        let Ok(view) = waiter.until_decided(id).await else { continue };
        let Some(mut outcome) = decided(state, batch, &view).await else { continue };
        // Two equal calls share one confirmation. Each result has the ID of its own tool call.
        outcome.set_tool_call_id(&end.call.id);
        // A call that did not run has the audit row that says that it waits.
        if let Outcome::Refused(problem) = &mut outcome {
            problem.call_id = problem.call_id.or(Some(call_id));
        }
        (end.outcome, end.name) = (outcome, view.action);
    }
}

fn superseded_by(outcome: &Outcome) -> &[Id] {
    match outcome {
        Outcome::Waiting(waiting) => &waiting.supersedes,
        Outcome::Completed(_) | Outcome::ToRun(_) | Outcome::Refused(_) => &[],
    }
}

/// Returns the outcome of a call whose confirmation was decided; `None` if it is the same as before. A call that the
/// application runs has started.
async fn decided(state: &HttpState, batch: &ToolCallBatch, view: &ConfirmationView) -> Option<Outcome> {
    if view.status == ConfirmationStatus::Running {
        let call = state.engine().started_call(&batch.authenticated, view.call_id?).await.ok()?;
        return Some(Outcome::ToRun(Box::new(call)));
    }
    (!view.status.is_open()).then(|| view.outcome())
}
