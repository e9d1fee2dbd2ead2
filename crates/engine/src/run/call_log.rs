//! The log line and the metrics of a call. They never contain bodies or tokens.

use toolcrib_model::Via;
use toolcrib_registry::Dispatcher;

use crate::{
    base::CallContext,
    catalog::Catalog,
    response::{CallResponse, Outcome},
};

/// Placeholder for the action of a call whose action is not known.
const NAMELESS: &str = "-";
/// Placeholder for the declared tools of all workspaces.
const DECLARED: &str = "declared";

/// Logs the line `[tool-trace]` and counts the call. `named` is how the call was made; only the response of a
/// completed call states it.
pub(crate) fn call(catalog: &Catalog, context: &CallContext, named: Via, answer: &CallResponse) {
    let (action, via, outcome) = match &answer.outcome {
        Outcome::Completed(done) => (done.action.as_str(), done.via.unwrap_or(named), "succeeded"),
        Outcome::Waiting(waiting) => (waiting.action.as_str(), named, "waiting"),
        Outcome::ToRun(call) => (call.action.as_str(), named, "to_run"),
        Outcome::Refused(problem) => {
            (problem.action.as_deref().unwrap_or(NAMELESS), named, problem.code.as_str())
        }
    };
    let (via, outcome) = if answer.replayed { (named, "replayed") } else { (via, outcome) };
    let action = known(catalog, action);
    let milliseconds = context.started.elapsed().as_secs_f64() * 1_000.0;
    let dispatcher = if action == DECLARED { Dispatcher::Declared } else { Dispatcher::Platform };
    let (way, arrow) = if via == Via::Dispatcher { (dispatcher.as_str(), " ->") } else { (via.as_str(), "") };
    tracing::info!(
        target: "toolcrib::calls",
        call_id = %context.call_id,
        request_id = context.request_id,
        trace_id = context.trace_id.as_deref().unwrap_or("-"),
        surface = context.surface.as_str(),
        status = answer.status(),
        outcome,
        duration_ms = milliseconds,
        "[tool-trace] {way}{arrow} {action}"
    );
    metrics::counter!("toolcrib_calls_total", "action" => action.to_owned(), "outcome" => outcome.to_owned())
        .increment(1);
    metrics::histogram!("toolcrib_call_seconds", "outcome" => outcome.to_owned())
        .record(milliseconds / 1_000.0);
}

/// Replaces unknown names and those of declared tools. Each would create a metric series, and would show text from one
/// workspace to all readers of the metrics.
fn known<'n>(catalog: &Catalog, name: &'n str) -> &'n str {
    if Dispatcher::parse(name).is_some() || name == NAMELESS || catalog.registry().get(name).is_some() {
        name
    } else if Dispatcher::of_action(name) == Dispatcher::Declared {
        DECLARED
    } else {
        "unknown"
    }
}

#[cfg(test)]
mod tests;
