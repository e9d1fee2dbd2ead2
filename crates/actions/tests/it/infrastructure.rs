//! Monitoring and infrastructure.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use toolcrib_actions::Infrastructure;
use toolcrib_connectors::embedded::{ComponentKind, Journal, Platform, Probe};
use toolcrib_model::{Id, Role, TestClock};
use toolcrib_testkit::{TestDb, assert_has, both_databases, clock, user_identity};
use tracing_subscriber::layer::SubscriberExt;

use crate::harness::App;

struct Limiter(Result<(), String>);

impl Probe for Limiter {
    fn name(&self) -> &'static str {
        "limiter"
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Limiter
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(ready(self.0.clone()))
    }
}

/// An app with a log, a limiter that does not answer, and a stopped clock of its own.
struct Watched {
    app: App,
    clock: Arc<TestClock>,
    journal: Arc<Journal>,
}

impl Watched {
    async fn new(db: TestDb) -> Self {
        let clock = Arc::new(clock());
        let journal = Journal::new(clock.clone(), 1_000);
        let platform = Platform::new(clock.clone(), journal.clone())
            .watch(Limiter(Err("connection to 10.0.0.7 refused".into())))
            .with_metrics(|| "toolcrib_calls_total{action=\"platform_x\"} 7\n".to_owned());
        let platform = Arc::new(platform);
        platform.observe().await;
        Self {
            app: App::with(db, &Infrastructure { platform, ..Infrastructure::default() }).await,
            clock,
            journal,
        }
    }

    /// Logs a finished call of this workspace, as the engine does.
    fn call(&self, workspace: Id, status: u64, duration_ms: f64) {
        self.log(|| {
            let outcome = if status < 400 { "succeeded" } else { "failed" };
            tracing::info!(
                target: "toolcrib::calls",
                workspace_id = %workspace, status, duration_ms, outcome, "[tool-trace]"
            );
        });
    }

    fn log(&self, write: impl FnOnce()) {
        tracing::subscriber::with_default(tracing_subscriber::registry().with(self.journal.layer()), write);
    }
}

/// The series with this name, or null.
pub fn series<'a>(data: &'a Value, name: &str) -> &'a Value {
    data["series"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap_or(&Value::Null)
}

#[both_databases]
async fn a_log_shows_a_workspace_its_own_lines_and_a_system_admin_all(db: TestDb) {
    let watched = Watched::new(db).await;
    let (a, b) = (watched.app.a.workspace, watched.app.b.workspace);
    watched.log(|| {
        tracing::warn!(target: "toolcrib_http::a", workspace_id = %a, "slow for a");
        tracing::error!(target: "toolcrib_http::a", workspace_id = %b, "canary of b");
        tracing::error!(target: "toolcrib_store", "disk of everybody");
    });
    let own = watched.app.owner().done("query_loki_logs", json!({})).await;
    assert_eq!((own["scope"].as_str(), own["items"].as_array().unwrap().len()), (Some("workspace"), 1));
    assert_has(&own["items"][0], json!({"message": "slow for a", "workspace_id": a}));
    let searched = watched.app.owner().done("query_loki_logs", json!({"search": "CANARY"})).await;
    assert_eq!(searched["items"], json!([]));
    let all = watched.app.system_admin().done("query_loki_logs", json!({"level": "error"})).await;
    assert_has(&all, json!({"scope": "platform", "/items/0/message": "disk of everybody"}));
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    let http =
        watched.app.system_admin().done("get_logs", json!({"service": "HTTP", "filter": "canary"})).await;
    assert_eq!((http["service"].as_str(), http["items"].as_array().unwrap().len()), (Some("http"), 1));
    let whole = watched.app.owner().done("get_logs", json!({"service": "toolcrib"})).await;
    assert_eq!(whole["items"].as_array().unwrap().len(), 1);
    watched.clock.advance(3_601);
    assert_eq!(watched.app.owner().done("query_loki_logs", json!({})).await["items"], json!([]));
    let problem = watched.app.owner().problem("get_logs", json!({"service": "limitr"})).await;
    assert_eq!(problem.code.as_str(), "not_found");
    assert!(problem.hint.unwrap().contains("`limiter`"));
    // Only B's calls and the store wrote log lines of this service, so it does not exist for A.
    assert_eq!(watched.app.owner().refused("get_logs", json!({"service": "database"})).await, "not_found");
}

#[both_databases]
async fn metrics_are_computed_from_own_calls(db: TestDb) {
    let watched = Watched::new(db).await;
    let (a, b) = (watched.app.a.workspace, watched.app.b.workspace);
    // Of 4 calls, 1 failed and 1 was limited: 25 % each. Three took 10 to 20 ms and one 200 to 500 ms: the
    // median is at rank 2 of the 3 in the first class, 10 + 10 × 2/3.
    for (status, duration) in [(200, 15.0), (500, 12.0), (429, 18.0), (200, 300.0)] {
        watched.call(a, status, duration);
    }
    (0..6).for_each(|_| watched.call(b, 500, 9_000.0));
    let owner = watched.app.owner();
    let errors = owner.done("query_prometheus", json!({"query": "error_rate"})).await;
    assert_eq!((errors["kind"].as_str(), errors["samples"].as_u64()), (Some("instant"), Some(4)));
    assert_eq!(series(&errors, "error_share")["value"], json!(0.25));
    let latency = owner.done("query_prometheus", json!({"query": "latency"})).await;
    assert!((series(&latency, "latency_p50")["value"].as_f64().unwrap() - 16.667).abs() < 0.001);
    let saturation = owner.done("query_prometheus", json!({"query": "saturation"})).await;
    assert_eq!(series(&saturation, "limited_share")["value"], json!(0.25));
    assert_eq!(series(&saturation, "memory"), &Value::Null);
    assert!(saturation["note"].is_string());
    // 7 of 10 calls failed.
    let all = watched.app.system_admin().done("query_prometheus", json!({"query": "all"})).await;
    assert_eq!(series(&all, "error_share")["value"], json!(0.7));
    assert_eq!(series(&all, "toolcrib_calls_total")["value"], json!(7.0));
    assert_eq!(series(&all, "toolcrib_calls_total")["labels"], json!(["action=platform_x"]));
    let code = owner.refused("query_prometheus", json!({"query": "up{job=\"x\"}"})).await;
    assert_eq!(code, "connector_not_configured");
    let problem = owner.problem("query_prometheus", json!({"query": "sum(rate(x[5m]))"})).await;
    assert!(problem.detail.contains("`prometheus_url`"));
}

#[both_databases]
async fn a_range_has_a_point_for_each_step_or_null(db: TestDb) {
    let watched = Watched::new(db).await;
    let a = watched.app.a.workspace;
    watched.call(a, 500, 5.0);
    watched.clock.advance(120);
    watched.call(a, 200, 5.0);
    let owner = watched.app.owner();
    let asked = json!({"query": "error_rate", "range_minutes": 3, "step_seconds": 1});
    let range = owner.done("query_prometheus", asked).await;
    assert_eq!((range["step_seconds"].as_i64(), range["samples"].as_u64()), (Some(60), Some(2)));
    let points = series(&range, "error_share")["points"].as_array().unwrap().clone();
    let values: Vec<&Value> = points.iter().map(|point| &point["value"]).collect();
    assert_eq!(values, [&json!(1.0), &Value::Null, &json!(0.0)]);
    watched.clock.advance(3_600);
    let now = owner.done("query_prometheus", json!({"query": "error_rate"})).await;
    assert_eq!((now["samples"].as_u64(), &series(&now, "error_share")["value"]), (Some(0), &Value::Null));
}

#[both_databases]
async fn alerts_are_a_workspaces_own(db: TestDb) {
    let watched = Watched::new(db).await;
    let (a, b) = (watched.app.a.workspace, watched.app.b.workspace);
    (0..20).for_each(|_| watched.call(b, 503, 5.0));
    (0..40).for_each(|_| watched.call(a, 200, 5.0));
    assert_eq!(watched.app.owner().done("get_alerts", json!({})).await["items"], json!([]));
    let b = watched.app.as_role_b(Role::Owner);
    let theirs = b.done("get_alerts", json!({"severity": "critical"})).await;
    assert_has(&theirs, json!({"firing": 1, "/items/0/name": "high_error_rate"}));
    assert_eq!(theirs["items"][0]["summary"], "20 of 20 calls failed in 5 minutes");
    // The limiter is down; 20 of 60 calls failed in all; and B has an alert of its own.
    let all = watched.app.system_admin().done("get_alerts", json!({})).await;
    assert_eq!(all["firing"], 3);
    watched.clock.advance(600);
    assert_eq!(b.done("get_alerts", json!({"status": "firing"})).await["items"], json!([]));
    let ended = b.done("get_alerts", json!({"status": "resolved"})).await;
    assert_eq!((ended["firing"].as_u64(), ended["items"][0]["status"].as_str()), (Some(0), Some("resolved")));
}

#[both_databases]
async fn health_names_what_is_down_and_hides_addresses(db: TestDb) {
    let watched = Watched::new(db).await;
    watched.clock.advance(90);
    let owner = watched.app.owner();
    let health = owner.done("get_system_health", json!({})).await;
    assert_eq!(health["status"], "degraded");
    let [database, limiter] = health["components"].as_array().unwrap().as_slice() else { panic!("{health}") };
    assert_eq!((database["name"].as_str(), database["state"].as_str()), (Some("database"), Some("up")));
    assert!(database["latency_ms"].as_f64().unwrap() > 0.0);
    assert_eq!((limiter["state"].as_str(), &limiter["error"]), (Some("down"), &Value::Null));
    assert_eq!(limiter["since"], "2026-01-15T10:00:00.000000Z");
    assert_eq!(health["process"]["uptime_seconds"], 90);
    assert!(health["process"]["memory_bytes"].as_u64().unwrap() > 1_000_000);
    let services = owner.done("list_services", json!({})).await;
    let names: Vec<&Value> = services["items"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["toolcrib", "limiter"]);
    let seen = watched.app.system_admin().done("list_services", json!({})).await;
    assert!(seen["items"][1]["error"].as_str().unwrap().contains("10.0.0.7"));
    let plain = App::new(toolcrib_testkit::sqlite().await).await;
    assert_eq!(plain.owner().done("get_system_health", json!({})).await["status"], "healthy");
}

/// Log lines of the engine name a workspace only if the caller was admitted to it.
#[tokio::test]
async fn calls_through_the_engine_are_logged_for_their_workspace() {
    let watched = Watched::new(toolcrib_testkit::sqlite().await).await;
    let _logging =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(watched.journal.layer()));
    let owner = watched.app.owner();
    owner.done("list_agents", json!({})).await;
    let stranger = user_identity(watched.app.a.workspace, watched.app.b.owner);
    watched.app.as_identity(stranger).refused("list_agents", json!({})).await;
    let lines = owner.done("query_loki_logs", json!({"service": "calls"})).await;
    assert_eq!(lines["items"].as_array().unwrap().len(), 1, "{lines}");
    assert_eq!(lines["items"][0]["fields"]["outcome"], "succeeded");
    let health = owner.done("query_prometheus", json!({})).await;
    assert_eq!(series(&health, "calls")["value"], json!(2.0));
    let all =
        watched.app.system_admin().done("query_loki_logs", json!({"search": "permission_denied"})).await;
    assert_eq!((all["items"].as_array().unwrap().len(), &all["items"][0]["workspace_id"]), (1, &Value::Null));
}
