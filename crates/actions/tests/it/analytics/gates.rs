//! All analytics actions: without rows, without the permission, with wrong arguments.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::noise;
use crate::harness::{App, service_key};

const ALL: [&str; 14] = [
    "get_llm_usage",
    "get_cost_breakdown",
    "workspace_stats",
    "get_success_rate",
    "get_completion_time",
    "get_error_rates",
    "get_queue_depth",
    "get_efficiency_score",
    "get_cost_per_execution",
    "get_peak_hours",
    "get_bottlenecks",
    "get_predictive_alerts",
    "get_agent_ranking",
    "get_sla_compliance",
];

/// Checks that every count is 0, every list is empty, and every unknown value is null.
fn knows_nothing(action: &str, path: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let said = [
                    "weight",
                    "bound",
                    "high_bound",
                    "threshold",
                    "min_samples",
                    "min_confidence",
                    "hour",
                    "target_percent",
                    "target_seconds",
                ];
                if !said.contains(&key.as_str()) {
                    knows_nothing(action, &format!("{path}/{key}"), value);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| knows_nothing(action, path, item)),
        Value::Number(number) => {
            let count = [
                "samples",
                "requests",
                "left_out",
                "completed",
                "failed",
                "cancelled",
                "queued",
                "running",
                "active",
                "with_work",
                "total",
                "added",
                "reached",
                "without_model_calls",
                "model_calls",
                "executions",
                "load",
                "found",
                "alerts",
                "below_min_confidence",
                "compared",
                "below_min_samples",
                "within_target",
                "value",
            ];
            let name = path.rsplit('/').next().unwrap();
            assert!(count.contains(&name) && number.as_f64() == Some(0.0), "{action}: {path} is {number}");
        }
        Value::Null | Value::String(_) => {}
        Value::Bool(_) => panic!("{action}: {path} is {value}"),
    }
}

#[both_databases]
async fn without_rows_figures_are_zero_or_unknown(db: TestDb) {
    let app = App::new(db).await;
    noise(&app).await;
    for action in ALL {
        let data = app.as_role(Role::Viewer).done(action, json!({})).await;
        knows_nothing(action, "", &data);
        assert!(!data.to_string().contains("Canary"), "{action}");
    }
    let owner = app.owner();
    assert_eq!(owner.done("get_llm_usage", json!({})).await["input_tokens"], json!(null));
    assert_eq!(owner.done("get_peak_hours", json!({})).await["hours"][0]["level"], json!(null));
    assert_eq!(
        owner.done("get_queue_depth", json!({})).await["trend"],
        json!({"samples": 0, "direction": null, "hours": []})
    );
    assert_eq!(owner.done("get_sla_compliance", json!({})).await["compliant"], json!(null));
    assert_eq!(owner.done("get_efficiency_score", json!({})).await["score"], json!(null));
}

#[both_databases]
async fn a_key_without_the_permission_learns_nothing(db: TestDb) {
    let app = App::new(db).await;
    for action in ALL {
        assert_eq!(
            app.as_identity(service_key(&app, "tasks:read")).refused(action, json!({})).await,
            "permission_denied",
            "{action}"
        );
        app.as_identity(service_key(&app, "analytics:read")).done(action, json!({})).await;
    }
}

#[both_databases]
async fn a_time_zone_exists(db: TestDb) {
    let app = App::new(db).await;
    let problem = app.owner().problem("get_peak_hours", json!({"timezone": "Mars/Base"})).await;
    assert_eq!(
        (problem.code.as_str(), problem.errors[0].pointer.as_str()),
        ("invalid_arguments", "/timezone")
    );
}
