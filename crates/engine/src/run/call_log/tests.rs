//! The log line and metrics of a call, and what they must not contain.

use std::{
    io::{BufRead as _, BufReader, Seek as _},
    sync::Arc,
    time::Duration,
};

use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tokio::time::Instant;
use toolcrib_model::{Id, Surface, Via};

use super::*;
use crate::{
    base::{
        ActionError,
        call::{admitted, span},
    },
    catalog::{action::Action, tests::Look},
    response::{Completed, Problem},
};

/// A call that began five seconds ago.
fn context() -> CallContext {
    CallContext {
        call_id: Id::from_u128(1),
        now: toolcrib_testkit::NOW,
        started: Instant::now().checked_sub(Duration::from_secs(5)).unwrap(),
        surface: Surface::Mcp,
        offers: toolcrib_registry::ActionKind::Tool,
        idempotency_key: None,
        tool_call: None,
        request_id: "r1".into(),
        trace_id: None,
        names_mission: false,
        confirmation: None,
        upstream_target: None,
        relayed_by: None,
    }
}

fn replayed(action: &str) -> CallResponse {
    let done = Completed::reported(action, "Looked".to_owned(), &json!({}));
    CallResponse::replayed(Outcome::Completed(Box::new(done)))
}

fn refused(action: Option<&str>) -> CallResponse {
    let mut problem = Problem::new(&ActionError::not_found("tool", "x"), "r1");
    problem.action = action.map(str::to_owned);
    Outcome::Refused(Box::new(problem)).into()
}

/// Returns the log lines of a function.
fn logged(run: impl FnOnce()) -> Vec<Value> {
    let mut file = tempfile::tempfile().unwrap();
    let writer = Arc::new(file.try_clone().unwrap());
    tracing::subscriber::with_default(tracing_subscriber::fmt().json().with_writer(writer).finish(), run);
    file.rewind().unwrap();
    BufReader::new(file).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// Returns the fields of the log line of a call, and the metrics.
fn traced(answer: &CallResponse, named: Via) -> (Value, String) {
    let catalog = Catalog::new(vec![Action::read(Look)]).unwrap();
    let recorder = PrometheusBuilder::new().build_recorder();
    let mut lines = logged(|| {
        metrics::with_local_recorder(&recorder, || call(&catalog, &context(), named, answer));
    });
    assert_eq!(lines.len(), 1);
    (lines.remove(0)["fields"].take(), recorder.handle().render())
}

#[test]
fn a_call_leaves_a_line_and_a_count() {
    for (answer, named, way, action, outcome) in [
        (replayed("platform_look"), Via::Direct, "direct", "platform_look", "replayed"),
        (replayed("their words"), Via::Direct, "direct", "unknown", "replayed"),
        (
            refused(Some("platform_look")),
            Via::Dispatcher,
            "platform_execute ->",
            "platform_look",
            "not_found",
        ),
        (
            refused(Some("platform_execute")),
            Via::Dispatcher,
            "platform_execute ->",
            "platform_execute",
            "not_found",
        ),
        (refused(Some("desk__get_ticket")), Via::Dispatcher, "tools_execute ->", "declared", "not_found"),
        (refused(Some("their words")), Via::Direct, "direct", "unknown", "not_found"),
        (refused(None), Via::Direct, "direct", "-", "not_found"),
    ] {
        let (fields, metrics) = traced(&answer, named);
        assert_eq!(fields["message"], format!("[tool-trace] {way} {action}"));
        assert_eq!((&fields["outcome"], &fields["surface"]), (&json!(outcome), &json!("mcp")));
        let counted = format!("toolcrib_calls_total{{action=\"{action}\",outcome=\"{outcome}\"}} 1\n");
        assert!(metrics.contains(&counted), "{metrics}");
        assert!(!metrics.contains("their words"));
    }
}

#[test]
fn a_call_takes_milliseconds_in_the_log_and_seconds_in_the_metrics() {
    let (fields, metrics) = traced(&refused(None), Via::Direct);
    let milliseconds = fields["duration_ms"].as_f64().unwrap();
    assert!((5_000.0..60_000.0).contains(&milliseconds), "{milliseconds}");
    let sum = metrics
        .lines()
        .find_map(|line| line.strip_prefix("toolcrib_call_seconds_sum{outcome=\"not_found\"} "));
    let seconds: f64 = sum.unwrap().parse().unwrap();
    assert!((5.0..60.0).contains(&seconds), "{seconds}");
}

#[test]
fn the_line_belongs_to_the_workspace_that_admitted_the_caller() {
    let lines = logged(|| {
        span().in_scope(|| tracing::info!("before"));
        span().in_scope(|| {
            admitted(Id::from_u128(7));
            tracing::info!("after");
        });
    });
    assert_eq!(lines[0]["span"].get("workspace_id"), None);
    assert_eq!(lines[1]["span"]["workspace_id"], json!(Id::from_u128(7)));
}
