//! Services and log lines from small servers that speak the protocols of Loki and Railway.

use serde_json::{Value, json};
use toolcrib_connectors::Connectors;
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, outside};

use super::{Connected, loki, names, railway};

#[both_databases]
async fn log_lines_come_from_loki_and_are_a_workspaces_own(db: TestDb) {
    let server = outside::Loki::start().await;
    let connectors = Connectors { loki: loki(&server.url), ..Connectors::default() };
    let connected = Connected::new(db, connectors, false).await;
    let (a, b) = (connected.app.a.workspace.to_string(), connected.app.b.workspace.to_string());
    let at = |seconds: i64| NOW.plus_seconds(-seconds);
    server.push(at(60), &[("service_name", "api"), ("workspace", &a), ("level", "warn")], "slow for a");
    server.push(at(30), &[("service_name", "api"), ("workspace", &b), ("level", "error")], "canary of b");
    server.push(at(7_200), &[("service_name", "api"), ("workspace", &a)], "long ago");
    let owner = connected.app.owner();
    let own = owner.done("query_loki_logs", json!({})).await;
    assert_eq!((own["source"].as_str(), names(&own)), (Some("loki"), vec!["slow for a"]));
    assert_has(&own["items"][0], json!({"level": "warning", "workspace_id": a.as_str()}));
    let found = owner.done("query_loki_logs", json!({"minutes": 180})).await;
    assert_eq!(names(&found), ["slow for a", "long ago"]);
    for arguments in [json!({"search": "canary"}), json!({"service": "worker"}), json!({"level": "error"})] {
        assert_eq!(owner.done("query_loki_logs", arguments.clone()).await["items"], json!([]), "{arguments}");
    }
    let all = connected.app.system_admin().done("query_loki_logs", json!({"service": "api"})).await;
    assert_eq!((all["scope"].as_str(), names(&all)), (Some("platform"), vec!["canary of b", "slow for a"]));
    // The service itself still answers the other actions.
    assert_eq!(owner.done("list_services", json!({})).await["source"], "embedded");
}

#[both_databases]
async fn railway_answers_system_admins_alone(db: TestDb) {
    let server = outside::Railway::start().await;
    let connectors = Connectors { railway: railway(&server.url), ..Connectors::default() };
    let connected = Connected::new(db, connectors, false).await;
    let before = server.requests().len();
    for (action, given) in [("list_services", json!({})), ("get_logs", json!({"service": "api"}))] {
        let problem = connected.app.owner().problem(action, given).await;
        assert_eq!(problem.code.as_str(), "permission_denied");
        assert!(problem.detail.contains("only system admins may query Railway"), "{problem:?}");
    }
    assert_eq!(server.requests().len(), before, "Railway was asked for somebody who may not know");
    let admin = connected.app.system_admin();
    let services = admin.done("list_services", json!({})).await;
    let value = (services["source"].as_str(), names(&services));
    assert_eq!(value, (Some("railway"), vec!["api", "web", "worker"]));
    let states: Vec<&Value> = services["items"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["up", "unknown", "down"]);
    assert_eq!(services["items"][2]["error"], "deployment crashed");
    let logs = admin.done("get_logs", json!({"service": "API", "lines": 2})).await;
    assert_eq!((logs["service"].as_str(), names(&logs)), (Some("api"), vec!["listening", "Out of Memory"]));
    let found = admin.done("get_logs", json!({"service": "api", "lines": 1, "filter": "memory"})).await;
    assert_eq!(names(&found), ["Out of Memory"]);
    assert_eq!(admin.done("get_logs", json!({"service": "web"})).await["items"], json!([]));
    let problem = admin.problem("get_logs", json!({"service": "wep"})).await;
    assert_eq!(problem.code.as_str(), "not_found");
    assert!(problem.hint.unwrap().contains("`web`"));
    // `query_loki_logs` reads the embedded log here, which can be limited to a workspace, so workspaces may
    // call it.
    connected.app.owner().done("query_loki_logs", json!({})).await;
}
