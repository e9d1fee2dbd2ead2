//! Log lines from a small server that speaks Loki's protocol.

use serde_json::json;
use toolcrib_connectors::Connectors;
use toolcrib_testkit::{NOW, TestDb, both_databases, outside};

use super::{Connected, loki, names};

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
    assert_eq!(
        (own["items"][0]["level"].as_str(), own["items"][0]["workspace_id"].as_str()),
        (Some("warning"), Some(a.as_str()))
    );
    assert_eq!(
        names(&owner.done("query_loki_logs", json!({"minutes": 180})).await),
        ["slow for a", "long ago"]
    );
    for arguments in [json!({"search": "canary"}), json!({"service": "worker"}), json!({"level": "error"})] {
        assert_eq!(owner.done("query_loki_logs", arguments.clone()).await["items"], json!([]), "{arguments}");
    }
    let all = connected.app.system_admin().done("query_loki_logs", json!({"service": "api"})).await;
    assert_eq!((all["scope"].as_str(), names(&all)), (Some("platform"), vec!["canary of b", "slow for a"]));
    // The service itself still answers the other actions.
    assert_eq!(owner.done("list_services", json!({})).await["source"], "embedded");
}
