//! Metrics from a real Prometheus.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolcrib_connectors::Connectors;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, outside};

use super::{Connected, prometheus};
use crate::{harness::App, infrastructure::series};

/// Samples of a service of `workspace` over ten minutes: 30 calls a minute, of which `failed` failed. All
/// calls took between 0.1 and 0.5 s.
fn counted(workspace: Id, failed: i64) -> String {
    let mut text = String::new();
    let of = |status: &str| format!("http_requests_total{{workspace=\"{workspace}\",status=\"{status}\"}}");
    for minute in 0..=10_i64 {
        let at = NOW.as_seconds() - (10 - minute) * 60;
        writeln!(text, "{} {} {at}", of("200"), minute * (30 - failed)).unwrap();
        writeln!(text, "{} {} {at}", of("503"), minute * failed).unwrap();
    }
    text
}

fn timed(workspace: Id) -> String {
    let mut text = String::new();
    for (bound, share) in [("0.1", 0), ("0.5", 30), ("+Inf", 30)] {
        for minute in 0..=10_i64 {
            let at = NOW.as_seconds() - (10 - minute) * 60;
            writeln!(
                text,
                "http_request_duration_seconds_bucket{{workspace=\"{workspace}\",le=\"{bound}\"}} {} {at}",
                minute * share
            )
            .unwrap();
        }
    }
    text
}

async fn real_prometheus(a: Id, b: Id) -> outside::Server {
    let text = format!(
        "# TYPE http_requests counter\n{}{}# TYPE http_request_duration_seconds histogram\n\
         {}# TYPE up gauge\nup{{job=\"node\"}} 1 {}\n# EOF\n",
        counted(a, 3),
        counted(b, 30),
        timed(a),
        NOW.as_seconds(),
    );
    outside::prometheus(&text).await
}

#[both_databases]
async fn metrics_come_from_prometheus_and_are_a_workspaces_own(db: TestDb) {
    // Prometheus needs the workspaces' ids first. They are the same in each new app.
    let probe = App::new(db).await;
    let (a, b) = (probe.a.workspace, probe.b.workspace);
    let server = real_prometheus(a, b).await;
    let connectors = Connectors { prometheus: prometheus(&server.url()), ..Connectors::default() };
    let db = if probe.db.kind() == "sqlite" {
        toolcrib_testkit::sqlite().await
    } else {
        toolcrib_testkit::postgres().await
    };
    let connected = Connected::new(db, connectors, false).await;
    assert_eq!((connected.app.a.workspace, connected.app.b.workspace), (a, b));
    named_queries(&connected).await;
    written_queries(&connected).await;
}

/// Queries by the product's own names.
async fn named_queries(connected: &Connected) {
    let owner = connected.app.owner();
    let errors = owner.done("query_prometheus", json!({"query": "error_rate"})).await;
    assert_has(&errors, json!({"source": "prometheus", "scope": "workspace"}));
    // 3 of 30 calls failed in the workspace, and 33 of 60 in all.
    assert!((series(&errors, "error_share")["value"].as_f64().unwrap() - 0.1).abs() < 1e-9, "{errors}");
    let all = connected.app.system_admin().done("query_prometheus", json!({"query": "error_rate"})).await;
    assert!((series(&all, "error_share")["value"].as_f64().unwrap() - 0.55).abs() < 1e-9, "{all}");
    let b_owner = connected.app.as_role_b(Role::Owner);
    let theirs = b_owner.done("query_prometheus", json!({"query": "error_rate"})).await;
    assert_eq!(series(&theirs, "error_share")["value"], json!(1.0));
    // All calls took between 0.1 and 0.5 s, so the median is interpolated to the middle, 300 ms.
    let latency = owner.done("query_prometheus", json!({"query": "latency"})).await;
    assert!((series(&latency, "latency_p50")["value"].as_f64().unwrap() - 300.0).abs() < 1e-6, "{latency}");
    assert_eq!(series(&latency, "toolcrib_latency_p95"), &Value::Null);
    let health = connected.app.system_admin().done("query_prometheus", json!({})).await;
    assert_eq!(series(&health, "up")["labels"], json!(["job=node"]));
    let everything = connected.app.system_admin().done("query_prometheus", json!({"query": "all"})).await;
    for name in ["up", "calls", "error_share", "latency_p95"] {
        assert_ne!(series(&everything, name), &Value::Null, "{name}");
    }
}

/// Queries in `PromQL`.
async fn written_queries(connected: &Connected) {
    let (owner, a) = (connected.app.owner(), connected.app.a.workspace);
    let sum = owner.done("query_prometheus", json!({"query": "sum(http_requests_total)"})).await;
    assert_eq!((&sum["series"][0]["value"], sum["kind"].as_str()), (&json!(300.0), Some("instant")));
    assert_eq!(sum["query"], format!("sum(http_requests_total{{workspace=\"{a}\"}})"));
    let range = json!({"query": "sum(http_requests_total)", "range_minutes": 2, "step_seconds": 60});
    let range = owner.done("query_prometheus", range).await;
    let points: Vec<&Value> =
        range["series"][0]["points"].as_array().unwrap().iter().map(|point| &point["value"]).collect();
    assert_eq!(points, [&json!(240.0), &json!(270.0), &json!(300.0)]);

    for (query, why) in [
        ("sum(", "is neither PromQL"),
        ("http_requests_total + on () http_requests_total", "can't be computed"),
        ("info(up)", "`info`"),
    ] {
        let problem = owner.problem("query_prometheus", json!({"query": query})).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments", "{query}");
        assert!(
            problem.errors[0].pointer == "/query" && problem.detail.contains(why),
            "{query}: {problem:?}"
        );
    }
}
