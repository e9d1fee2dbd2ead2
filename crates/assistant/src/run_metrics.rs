//! The metrics of the runs that this process carries out. They name no workspace, and no model or provider, which
//! belong to workspaces.

use std::time::Duration;

use toolcrib_connectors::llm::ModelAnswer;
use toolcrib_model::{RunState, Ts};
use toolcrib_store::assistant_runs::RunRow;

/// Counts what was stored of a run: the tokens and the cost since `before`, and its duration if it has ended.
pub fn stored(before: &RunRow, row: &RunRow, state: RunState, now: Ts) {
    let kind = row.kind.as_str();
    let types = [
        ("input", row.input_tokens - before.input_tokens),
        ("output", row.output_tokens - before.output_tokens),
    ];
    for (name, tokens) in types {
        metrics::counter!("toolcrib_assistant_tokens_total", "kind" => kind, "type" => name)
            .increment(unsigned(tokens));
    }
    metrics::counter!("toolcrib_assistant_cost_microusd_total", "kind" => kind)
        .increment(unsigned(row.cost_microusd - before.cost_microusd));
    if !state.is_open() {
        let took = Duration::from_micros(unsigned(now.micros_since(row.created_at)));
        metrics::histogram!("toolcrib_assistant_run_seconds", "kind" => kind, "state" => state.as_str())
            .record(took);
    }
}

/// Counts how long a model took to answer, or to fail, and to its first piece.
pub fn answered(took: Duration, answer: Option<&ModelAnswer>) {
    let outcome = if answer.is_some() { "succeeded" } else { "failed" };
    metrics::histogram!("toolcrib_assistant_model_seconds", "outcome" => outcome).record(took);
    if let Some(first) = answer.and_then(|answer| answer.first_token_ms) {
        metrics::histogram!("toolcrib_assistant_first_token_seconds").record(Duration::from_millis(first));
    }
}

/// Counts a run that another process has taken from this one.
pub fn lost() {
    metrics::counter!("toolcrib_assistant_lost_total").increment(1);
}

fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
